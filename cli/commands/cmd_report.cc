#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/command_line.h"
#include "cli/comparison_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/comparison_json.h"
#include "lab/comparison/models_of_runs.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/model/model_kind.h"
#include "lab/records/records.h"
#include "lab/report/report_page.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"

namespace hone {
namespace {

std::vector<RuntimeTable> RuntimeTablesOf(const std::vector<std::string>& paths) {
  std::vector<RuntimeTable> tables;
  for (const std::string& path : paths) {
    try {
      std::ranges::move(ReadRuntimeTables(ParseJson(ReadFile(path), path)), std::back_inserter(tables));
    } catch (const Error& e) {
      if (e.code() != ExitCode::kBadData) throw;
      throw Error(ExitCode::kBadData,
                  fmt::format("{} is not what `hone compare --measure --runtime --json` prints: {}", path, e.what()));
    }
  }
  return tables;
}

}  // namespace

int ReportCommand(const Arguments& arguments) {
  CommandLine line("hone report",
                   "One page of what a store knows: models across devices, layers, roofs, portability, tuning, fates.",
                   "hone report zoo:resnet-18 -o report.html");
  line.First({"-o", "--db", "--price", "--accept", "--device"});
  ModelOptions model;
  std::vector<std::string> names, runtimes;
  std::string db, output;
  RecordComparisonOptions options;
  line.Add("MODEL", names, ".onnx files, or zoo:NAME; without any, those of the tuning runs")
      .ReadsModel()
      .About(Topic::kModel);
  AddModelDetails(line, model);
  AddRecordComparisonOptions(line, options);
  AddStoreOption(line, db);
  line.Add("--runtimes", runtimes, "what `hone compare --measure --runtime --json` printed: runtimes on machines")
      .In(OptionGroup::kTiming)
      .Reads();
  line.Add("-o,--output", output, "the HTML file to write").Parsed(RequirePageName).Writes().Required();
  if (!line.Parse(arguments)) return 0;
  const std::unique_ptr<RecordStore> store = OpenStoreIfMade(db);
  const bool is_empty = store == nullptr || store->Arrived() == 0;
  ComparisonReport report;
  const std::vector<ModelToCompare> models =
      names.empty() && !is_empty ? ModelsOfRuns(*store) : LoadModels(names, model);
  if (!is_empty) report = CompareModels(*store, models, options);
  const std::set<std::string> layers = names.empty() ? std::set<std::string>() : LayerNames(report.comparison);
  const StoreHistory history = is_empty ? StoreHistory() : HistoryOf(*store, layers);
  const std::vector<RuntimeTable> tables = RuntimeTablesOf(runtimes);
  const bool of_runtimes_alone = is_empty && !tables.empty();
  const std::string page = ReportPage(report, of_runtimes_alone ? nullptr : &history, tables);
  WriteFileAtomically(output, page);
  if (line.json()) {
    PrintJson({{"path", output},
               {"bytes", page.size()},
               {"records", history.records},
               {"devices", report.comparison.devices.size()}});
  } else {
    Print("{} written: {}, {}\n", output, BytesText(static_cast<int64_t>(page.size())),
          Counted(history.records, "record"));
  }
  if (of_runtimes_alone) return 0;
  if (is_empty) {
    Note("{}\n", store == nullptr ? NoStoreYet(db) : fmt::format("the record store {} is empty yet", StorePath(db)));
    line.Next("hone tune" + (names.empty() ? std::string(" MODEL") : "") + line.Given(kKernelTopics));
    return 0;
  }
  line.Next("hone compare" + (names.empty() ? std::string(" MODEL") : "") + line.Given(kKernelTopics));
  return 0;
}

}  // namespace hone
