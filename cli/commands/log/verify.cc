#include <fmt/format.h>

#include <string>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/commands/log/log_commands.h"
#include "cli/key_options.h"
#include "cli/machine_options.h"
#include "cli/record_options.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/machine/machine.h"
#include "lab/machine/package_there.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
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
  Print("{}{} of {} hold within 3 %; {} are faster here, {} slower, {} lose to the default, {} fail{}\n",
        table.empty() ? "" : table.ToText(), Count(report, Holding::kHolds), Counted(report.records.size(), "record"),
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

struct VerifyCommandOptions {
  std::string from, db, budget = "60s";
  MachineOptions machine;
  RemoteRunnerOptions remote;
};

void AddVerifyOptions(CommandLine& line, VerifyCommandOptions& options) {
  line.Add("PACK|STORE", options.from, "whose records to time").Reads().Required();
  AddStoreOption(line, options.db);
  AddContextOptions(line, options.machine);
  line.Add("--budget", options.budget, "begin nothing new after this time")
      .Parsed(ParseDuration)
      .In(OptionGroup::kTiming)
      .ShowDefault();
  AddRemoteOptions(line, options.remote, "time on one of its runners");
}

// The context to time for. The next line names what a runner behind a tracker resolved the options to.
BuildContext ContextOn(const VerifyCommandOptions& options, Runner& runner, CommandLine& line) {
  const bool remote = IsRemote(options.remote);
  const Environment environment = runner.Describe();
  const BuildContext context = ResolveMachineOf(options.machine, environment, remote).context;
  if (!remote) return context;
  line.Resolve("--target", context.target.ToText());
  line.Resolve("--threads", fmt::format("{}", context.threads));
  if (!line.json()) TellTimedOn(environment, context);
  return context;
}

}  // namespace

int LogVerifyCommand(const Arguments& arguments) {
  CommandLine line("hone log verify",
                   "Times the best records of a pack or store on this machine, or on a runner, beside the analytic "
                   "default, and keeps what came out: no build for it takes a record that lost there.",
                   "hone log verify lab.honepack --budget 60s");
  line.First({"--budget", "--target", "--threads", "--tracker", "--key"});
  VerifyCommandOptions options;
  AddVerifyOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  VerifyOptions verify;
  verify.budget_ns = ParseDuration(options.budget);
  const std::vector<Record> records = RecordsIn(options.from);
  const auto runner = IsRemote(options.remote) ? OneRunner(options.remote) : MakeLocalRunner({});
  verify.context = ContextOn(options, *runner, line);
  const auto store = OpenStore(options.db);
  const auto stop = CatchStopSignals();
  const VerifyReport report = VerifyRecords(
      records, verify, *runner, *store, RealTuneTools(), [stop] { return stop->load(); },
      [&line](const VerifiedRecord& r) {
        if (!line.json()) Note("{}: {}\n", r.workload, HoldingName(r.holding));
      });
  if (line.json()) {
    PrintReportJson(report);
  } else {
    PrintReport(report);
  }
  if (report.lost) {
    throw Error(ExitCode::kNoRunner,
                fmt::format("the machine that timed was lost, and {} of {} got no time", report.not_reached,
                            Counted(report.records.size() + report.not_reached, "record")));
  }
  line.Next("hone build MODEL -o P.hone" + line.Given({Topic::kTarget, Topic::kThreads, Topic::kMath, Topic::kStore}));
  return static_cast<int>(report.records.empty() ? ExitCode::kAnswerIsNo : ExitCode::kDone);
}

}  // namespace hone
