#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/commands/log/records_in.h"
#include "cli/machine_options.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "cli/stop.h"
#include "cli/store.h"
#include "core/duration.h"
#include "core/error.h"
#include "rpc_runner/runner.h"
#include "tuner/verify_records.h"

namespace hone {
namespace {

int64_t Count(const VerifyReport& report, Holding holding) {
  int64_t count = 0;
  for (const VerifiedRecord& record : report.records) count += record.holding == holding ? 1 : 0;
  return count;
}

void PrintReport(const VerifyReport& report) {
  Table table({"record", "> recorded", "> here", "> default", "verdict", "workload"});
  for (const VerifiedRecord& r : report.records) {
    table.Add({r.id, TimeText(r.recorded_ns), TimeText(r.here_ns), TimeText(r.default_ns),
               std::string(HoldingName(r.holding)) + (r.why.empty() ? "" : ": " + r.why), r.workload});
  }
  Print("{}{} of {} records hold within 3 %; {} are faster here, {} slower, {} lose to the default, {} fail{}\n",
        table.empty() ? "" : table.ToText(), Count(report, Holding::kHolds), report.records.size(),
        Count(report, Holding::kFaster), Count(report, Holding::kSlower), Count(report, Holding::kLoses),
        Count(report, Holding::kFailed),
        report.not_reached > 0 ? fmt::format("; {} were not reached", report.not_reached) : "");
}

void PrintReportJson(const VerifyReport& report) {
  Json records = Json::array();
  for (const VerifiedRecord& r : report.records) {
    records.push_back({{"record", r.id},
                       {"workload", r.workload},
                       {"verdict", HoldingName(r.holding)},
                       {"recorded_ns", r.recorded_ns},
                       {"here_ns", r.here_ns},
                       {"default_ns", r.default_ns},
                       {"why", r.why}});
  }
  PrintJson({{"records", records}, {"hold", Count(report, Holding::kHolds)}, {"not_reached", report.not_reached}});
}

}  // namespace

int LogVerifyCommand(const Arguments& arguments) {
  CommandLine line("hone log verify",
                   "Times the best records of a pack or store on this machine, beside the analytic default, and keeps "
                   "what came out: no build takes a record that lost here.");
  std::string from, db, budget = "60s";
  MachineOptions machine;
  line.Add("PACK|STORE", from, "whose records").Required();
  AddStoreOption(line, db);
  AddContextOptions(line, machine);
  line.Add("--budget", budget, "begin nothing new after so long: 60s, 10m").ShowDefault();
  if (!line.Parse(arguments)) return 0;
  VerifyOptions options;
  options.budget_ns = ParseDuration(budget);
  const std::vector<Record> records = RecordsIn(from);
  const auto runner = MakeLocalRunner({});
  options.context = ResolveMachineOf(machine, runner->Describe(), false).context;
  const auto store = OpenStore(db);
  const auto stop = CatchStopSignals();
  const VerifyReport report = VerifyRecords(
      records, options, *runner, *store, RealTuneTools(), [stop] { return stop->load(); },
      [&line](const VerifiedRecord& r) {
        if (!line.json()) Note("{}: {}\n", r.workload, HoldingName(r.holding));
      });
  if (line.json()) {
    PrintReportJson(report);
  } else {
    PrintReport(report);
  }
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kTarget, Topic::kThreads, Topic::kMath, Topic::kStore}));
  return static_cast<int>(report.records.empty() ? ExitCode::kAnswerIsNo : ExitCode::kDone);
}

}  // namespace hone
