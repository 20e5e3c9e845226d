#include <fmt/format.h>

#include <array>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/records_in.h"
#include "cli/diff_records.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"

namespace hone {
namespace {

std::string CountsText(const std::vector<RecordDiff>& diffs) {
  std::array<int64_t, 5> counts{};
  for (const RecordDiff& diff : diffs) ++counts.at(static_cast<size_t>(diff.change));
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts.at(i), RecordChangeName(static_cast<RecordChange>(i)));
  }
  return text;
}

void PrintDiffs(const std::vector<RecordDiff>& diffs) {
  Table table({"change", "> before", "> after", "> p", "device", "> threads", "workload"});
  for (const RecordDiff& diff : diffs) {
    if (diff.change == RecordChange::kSame) continue;
    table.Add({std::string(RecordChangeName(diff.change)), TimeText(diff.before_ns), TimeText(diff.after_ns),
               diff.before_ns > 0 && diff.after_ns > 0 ? fmt::format("{:.3f}", diff.p) : "", diff.device,
               fmt::format("{}", diff.threads), diff.workload});
  }
  Print("{}{}\n", table.empty() ? "" : table.ToText(), CountsText(diffs));
}

void PrintDiffsJson(const std::vector<RecordDiff>& diffs) {
  Json list = Json::array();
  for (const RecordDiff& diff : diffs) {
    list.push_back({{"change", RecordChangeName(diff.change)},
                    {"workload", diff.workload},
                    {"device", diff.device},
                    {"threads", diff.threads},
                    {"before_ns", diff.before_ns},
                    {"after_ns", diff.after_ns},
                    {"p", diff.p},
                    {"before", diff.before},
                    {"after", diff.after}});
  }
  PrintJson({{"diffs", list}});
}

}  // namespace

int LogDiffCommand(const Arguments& arguments) {
  CommandLine line("hone log diff", "What is new, gone, faster or slower in B's best records against A's.");
  std::string a, b;
  line.Add("A", a, "a store or a pack").Required();
  line.Add("B", b, "another one").Required();
  if (!line.Parse(arguments)) return 0;
  const std::vector<RecordDiff> diffs = DiffRecords(RecordsIn(a), RecordsIn(b));
  if (line.json()) {
    PrintDiffsJson(diffs);
  } else {
    PrintDiffs(diffs);
  }
  line.Next("hone log best --db STORE");
  return 0;
}

}  // namespace hone
