#include "lab/report/runtime_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "lab/comparison/comparison_text.h"
#include "lab/report/charts.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

RuntimeCell ReadCell(const Json& json) {
  RuntimeCell cell;
  cell.runtime = TextField(json, "runtime");
  if (!json.contains("median_ns")) return cell;
  cell.ns = IntegerField(json, "median_ns", 1);
  const std::vector<int64_t> interval = IntegersField(json, "median_ci95_ns", 0);
  if (interval.size() != 2) throw Error(ExitCode::kBadData, "field 'median_ci95_ns' has no two times");
  cell.low_ns = interval[0];
  cell.high_ns = interval[1];
  cell.precision = TextField(json, "precision");
  cell.error = NumberField(json, "error");
  if (json.contains("price_per_million")) cell.price_per_million = NumberField(json, "price_per_million");
  cell.fastest = BoolField(json, "fastest");
  cell.doubtful = !TextField(json, "doubt").empty();
  return cell;
}

RuntimeRow ReadRow(const Json& json) {
  RuntimeRow row{TextField(json, "name"), {}, TextsField(json, "notes")};
  for (const Json& runtime : ArrayField(json, "runtimes")) row.cells.push_back(ReadCell(runtime));
  return row;
}

RuntimeTable ReadTable(const Json& json) {
  RuntimeTable table{TextField(json, "model"), {}};
  for (const Json& machine : ArrayField(json, "machines")) table.rows.push_back(ReadRow(machine));
  if (table.rows.empty()) throw Error(ExitCode::kBadData, fmt::format("{} has no machines", table.model));
  for (const RuntimeRow& row : table.rows) {
    if (!std::ranges::equal(row.cells, table.rows[0].cells, {}, &RuntimeCell::runtime, &RuntimeCell::runtime)) {
      throw Error(ExitCode::kBadData, fmt::format("{} has other runtimes on {} than on {}", table.model, row.machine,
                                                  table.rows[0].machine));
    }
  }
  return table;
}

std::string CellText(const RuntimeCell& cell) {
  if (cell.ns == 0) return "not timed";
  std::string text = fmt::format("{}, {}, {:.0e}", TimeText(cell.ns), cell.precision, cell.error);
  if (cell.price_per_million > 0) text += fmt::format(", {}/M", MoneyText(cell.price_per_million));
  return text + (cell.fastest ? " fastest" : cell.doubtful ? " ?" : "");
}

std::vector<std::string> HeadersOf(const RuntimeTable& table) {
  std::vector<std::string> headers = {"machine"};
  for (const RuntimeCell& cell : table.rows[0].cells) headers.push_back("> " + cell.runtime);
  return headers;
}

std::vector<std::string> TextsOf(const RuntimeRow& row) {
  std::vector<std::string> texts = {row.machine};
  for (const RuntimeCell& cell : row.cells) texts.push_back(CellText(cell));
  return texts;
}

std::string LegendOf(const RuntimeTable& table) {
  const bool prices = std::ranges::any_of(table.rows, [](const RuntimeRow& row) {
    return std::ranges::any_of(row.cells, [](const RuntimeCell& cell) { return cell.price_per_million > 0; });
  });
  return std::string("median, precision, largest error of an output") + (prices ? ", price of a million images" : "");
}

// A mark for each time, in the colour of its runtime.
std::string ChartOf(const RuntimeTable& table) {
  std::vector<TimeMark> marks;
  for (const RuntimeRow& row : table.rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const RuntimeCell& cell = row.cells[i];
      if (cell.ns == 0) continue;
      const std::string title = fmt::format("{} on {}: {}", cell.runtime, row.machine, CellText(cell));
      marks.push_back({fmt::format("{}, {}", row.machine, cell.runtime), title, cell.ns, cell.low_ns, cell.high_ns,
                       static_cast<int>(i), cell.doubtful});
    }
  }
  return HtmlCharts(LatencyChart("Time of a run, with its interval", marks));
}

std::string HtmlSectionOf(const RuntimeTable& table) {
  std::vector<std::vector<std::string>> rows;
  std::string notes;
  for (const RuntimeRow& row : table.rows) {
    rows.push_back(TextsOf(row));
    for (const std::string& note : row.notes) notes += HtmlParagraph(fmt::format("{}: {}", row.machine, note));
  }
  const std::string about = fmt::format(
      "Each runtime had the same file, inputs and threads, in turns. Its outputs were compared with a float64 "
      "reference "
      "first. Cells: {}.",
      LegendOf(table));
  return HtmlSection(table.model, HtmlParagraph(about) + HtmlTable("Runtimes on machines", HeadersOf(table), rows) +
                                      ChartOf(table) + notes);
}

}  // namespace

std::vector<RuntimeTable> ReadRuntimeTables(const Json& document) {
  std::vector<RuntimeTable> tables;
  for (const Json& model : ArrayField(document, "models")) tables.push_back(ReadTable(model));
  return tables;
}

std::string ToText(const std::vector<RuntimeTable>& tables, size_t columns) {
  std::string text;
  for (const RuntimeTable& each : tables) {
    Table table(HeadersOf(each));
    std::string notes;
    for (const RuntimeRow& row : each.rows) {
      table.Add(TextsOf(row));
      notes += row.machine + ":\n";
      for (const std::string& note : row.notes) notes += note + "\n";
    }
    text += fmt::format("{}{} ({})\n{}{}", text.empty() ? "" : "\n", each.model, LegendOf(each), table.ToText(columns),
                        notes);
  }
  return text;
}

std::string HtmlSections(const std::vector<RuntimeTable>& tables) {
  std::string sections;
  for (const RuntimeTable& table : tables) sections += HtmlSectionOf(table);
  return sections;
}

}  // namespace hone
