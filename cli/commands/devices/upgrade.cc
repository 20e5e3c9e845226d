#include "cli/commands/devices/upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/hash/minisign.h"
#include "core/text/duration.h"
#include "lab/files/read_file.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/tracker/ask_tracker.h"

namespace hone {
namespace {

constexpr int64_t kUpgradeAnswerNs = 10'000'000'000;  // while a program of some megabytes is transferred
constexpr auto kLook = std::chrono::milliseconds(200);

// The outcome of one runner.
struct UpgradeOutcome {
  std::string label, version, state, why;
};

bool IsSettled(const UpgradeOutcome& outcome) { return outcome.state == "upgraded" || outcome.state == "not upgraded"; }

UpgradeOutcome OutcomeOf(const RunnerInfo& runner, const std::string& program) {
  UpgradeOutcome outcome{runner.label, runner.version, "upgraded", ""};
  if (runner.program == program) return outcome;
  outcome.state = runner.wanted == program && runner.state == "busy" ? "busy" : "waiting";
  if (!runner.wanted.empty()) return outcome;
  outcome.state = "not upgraded";
  outcome.why = runner.not_upgraded;
  return outcome;
}

// Outcomes of the named runners. Lost ones are left out: they may be those that have just become another program.
std::vector<UpgradeOutcome> OutcomesOf(const TrackerStatus& status, const std::string& what,
                                       const std::string& program) {
  std::vector<UpgradeOutcome> outcomes;
  for (const RunnerInfo& runner : status.runners) {
    const bool is_meant = runner.key == what || runner.label == what;
    if (is_meant && runner.state != "lost") outcomes.push_back(OutcomeOf(runner, program));
  }
  return outcomes;
}

void Show(const std::vector<UpgradeOutcome>& outcomes, bool as_json) {
  Json rows = Json::array();
  Table table({"label", "version", "outcome", "why"});
  for (const UpgradeOutcome& o : outcomes) {
    rows.push_back({{"label", o.label}, {"version", o.version}, {"outcome", o.state}, {"why", o.why}});
    table.Add({o.label, o.version, o.state, o.why});
  }
  as_json ? PrintJson(rows) : Print("{}", table.ToText());
}

}  // namespace

int DevicesUpgradeCommand(const Arguments& arguments) {
  CommandLine line(
      "hone devices upgrade",
      "Sends runners the program that they are to become. Each takes it between leases, when the key of its "
      "--upgrade-key has signed it and a trial beside the running one ends well.",
      "hone devices upgrade pi4 --file hone-runner --tracker tcp://tracker:9190");
  line.First({"--file", "--signature", "--wait", "--tracker"});
  DeviceCommand command;
  command.command = "upgrade";
  std::string tracker, file, signature, wait = "2m";
  ClientKeys keys;
  line.Add("KEY|LABEL", command.what, "key or label of the runners").Required();
  line.Add("--file", file, "hone-runner for their architecture").Reads().Required();
  line.Add("--signature", signature, "minisign's signature of that file").Default("FILE.minisig").Reads();
  line.Add("--wait", wait, "how long to wait for the result").ShowDefault();
  line.Add("--tracker", tracker, "tracker, tcp://HOST:PORT").Required().Env("HONE_TRACKER").About(Topic::kRunners);
  AddClientKeyOptions(line, keys);
  if (!line.Parse(arguments)) return 0;
  command.program = ReadFile(file);
  command.signature = ReadFile(signature.empty() ? file + ".minisig" : signature);
  SignerOf(command.signature);
  const int64_t until_ns = MonotonicNs() + ParseDuration(wait);
  const std::string program = Sha256Hex(command.program);
  const std::atomic<bool>* stop = CatchStopSignals();
  TrackerStatus status = CommandTracker(tracker, command, kUpgradeAnswerNs, keys);
  const size_t meant = OutcomesOf(status, command.what, program).size();
  std::vector<UpgradeOutcome> outcomes = OutcomesOf(status, command.what, program);
  const auto all_settled = [&] {
    return outcomes.size() >= meant && std::all_of(outcomes.begin(), outcomes.end(), IsSettled);
  };
  while (!all_settled() && MonotonicNs() < until_ns && !*stop) {
    std::this_thread::sleep_for(kLook);
    outcomes = OutcomesOf(QueryTracker(tracker, kUpgradeAnswerNs, keys), command.what, program);
  }
  Show(outcomes, line.json());
  const bool ok =
      outcomes.size() >= meant &&
      std::all_of(outcomes.begin(), outcomes.end(), [](const UpgradeOutcome& o) { return o.state == "upgraded"; });
  return StopExitCode(ok ? 0 : static_cast<int>(ExitCode::kAnswerIsNo));
}

}  // namespace hone
