#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/hash/minisign.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/machine/fleet_table.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
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

// `hone devices upgrade`: replaces the program of runners by another, signed by a key that they trust.
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
  line.Add("KEY|LABEL", command.what, "device key or label of the runners").Required();
  line.Add("--file", file, "hone-runner for their architecture").Reads().Required();
  line.Add("--signature", signature, "minisign's signature of that file").Default("FILE.minisig").Reads();
  line.Add("--wait", wait, "how long to wait for the result").Parsed(ParseDuration).ShowDefault();
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
  line.Next("hone devices" + line.Given({Topic::kRunners}));
  return StopExitCode(ok ? 0 : static_cast<int>(ExitCode::kAnswerIsNo));
}

constexpr int64_t kStatusAnswerNs = 3'000'000'000;
constexpr int64_t kLookNs = 100'000'000;  // how often --watch checks whether it shall stop

// A line per key.
std::string UseText(const TrackerStatus& status) {
  std::string text;
  for (const KeyUse& use : UseOfKeys(status)) {
    std::string waiting;
    if (use.queue.waiting > 0) waiting = fmt::format(", {} waiting", use.queue.waiting);
    if (!use.queue.who.empty()) waiting += fmt::format(": {}", fmt::join(use.queue.who, ", "));
    text += fmt::format("device key {}: {} of {} in use{}\n", use.key, use.busy, Counted(use.all, "runner"), waiting);
  }
  return text;
}

std::string StatusText(const TrackerStatus& status) {
  const TextRows rows = RunnerRows(status);
  Table runners(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) runners.Add(rows[i]);
  return (runners.empty() ? "no runners\n" : runners.ToText()) + UseText(status);
}

std::string HistoryText(const std::vector<DeviceAvailability>& history) {
  const TextRows rows = AvailabilityRows(history);
  Table devices(rows.front());
  for (size_t i = 1; i < rows.size(); ++i) devices.Add(rows[i]);
  return devices.empty() ? "no device was there yet\n" : devices.ToText(OutputColumns());
}

void Show(const TrackerStatus& status, bool json) {
  json ? PrintJson(StatusToJson(status)) : Print("{}", StatusText(status));
}

struct AskedTracker {
  std::string tracker;
  ClientKeys keys;
};

// On a terminal each status replaces the previous one.
void Watch(const AskedTracker& asked, int64_t every_ns, bool json) {
  const std::atomic<bool>* stop = CatchStopSignals();
  const bool terminal = !json && TakesEscapes(STDOUT_FILENO);
  while (!*stop) {
    const TrackerStatus status = QueryTracker(asked.tracker, kStatusAnswerNs, asked.keys);
    if (terminal) WriteToStdout("\033[H\033[2J");
    Show(status, json);
    FlushStdout();
    for (int64_t waited_ns = 0; waited_ns < every_ns && !*stop; waited_ns += kLookNs) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kLookNs));
    }
  }
}

void AddTracker(CommandLine& line, AskedTracker& asked) {
  line.Add("--tracker", asked.tracker, "tracker, tcp://HOST:PORT")
      .Required()
      .Env("HONE_TRACKER")
      .About(Topic::kRunners);
  AddClientKeyOptions(line, asked.keys);
}

int ListCommand(const Arguments& arguments) {
  CommandLine line(
      "hone devices",
      "Who is connected to a tracker: device key, CPU, state, holder, jobs done, queue. Also: hold, unhold, drain, "
      "undrain and upgrade (hone devices hold --help).",
      "hone devices --tracker tcp://tracker:9190");
  line.First({"--tracker", "--watch", "--every"});
  AskedTracker asked;
  std::string every = "2s";
  bool watch = false, history = false;
  AddTracker(line, asked);
  line.AddFlag("--history", history, "when each device was there, since the tracker began");
  line.AddFlag("--watch", watch, "ask again and again until interrupted");
  line.Add("--every", every, "with --watch, time between questions").Parsed(ParseDuration).ShowDefault();
  if (!line.Parse(arguments)) return 0;
  if (watch) {
    Watch(asked, ParseDuration(every), line.json());
    return StopExitCode(0);
  }
  const TrackerStatus status = history ? QueryHistory(asked.tracker, kStatusAnswerNs, asked.keys)
                                       : QueryTracker(asked.tracker, kStatusAnswerNs, asked.keys);
  history && !line.json() ? Print("{}", HistoryText(*status.history)) : Show(status, line.json());
  line.Next("hone tune MODEL" + line.Given({Topic::kRunners}) + " --key " +
            (status.runners.empty() ? "NAME" : ShellWord(status.runners.front().key)));
  return 0;
}

// One of the four commands that change something. The next line names its opposite.
int ChangeCommand(const std::string& command, const std::string& opposite, const std::string& summary,
                  const Arguments& arguments) {
  CommandLine line("hone devices " + command, summary, "hone devices " + command + " pi4 --tracker tcp://tracker:9190");
  DeviceCommand change;
  change.command = command;
  change.user = LocalUser();
  AskedTracker asked;
  std::string span = "30m";
  line.Add("KEY|LABEL", change.what, "device key or label of the runners").Required();
  AddTracker(line, asked);
  if (command == "hold") line.Add("--for", span, "how long, at most 168h").Parsed(ParseDuration).ShowDefault();
  if (!line.Parse(arguments)) return 0;
  if (command == "hold") change.for_ns = ParseDuration(span);
  Show(CommandTracker(asked.tracker, change, kStatusAnswerNs, asked.keys), line.json());
  line.Next("hone devices " + opposite + " " + ShellWord(change.what) + line.Given({Topic::kRunners}));
  return 0;
}

int HoldCommand(const Arguments& arguments) {
  return ChangeCommand("hold", "unhold", "Keeps runners for yourself: they serve no other user until then.", arguments);
}
int UnholdCommand(const Arguments& arguments) {
  return ChangeCommand("unhold", "hold", "Gives back the runners that you hold.", arguments);
}
int DrainCommand(const Arguments& arguments) {
  return ChangeCommand("drain", "undrain", "Lets runners finish what they do and take no new lease.", arguments);
}
int UndrainCommand(const Arguments& arguments) {
  return ChangeCommand("undrain", "drain", "Lets drained runners take leases again.", arguments);
}

}  // namespace

int DevicesCommand(const Arguments& arguments) {
  static const std::vector<std::pair<std::string, int (*)(const Arguments&)>> commands = {
      {"hold", HoldCommand},
      {"unhold", UnholdCommand},
      {"drain", DrainCommand},
      {"undrain", UndrainCommand},
      {"upgrade", DevicesUpgradeCommand}};
  for (const auto& [name, run] : commands) {
    if (!arguments.empty() && arguments.front() == name) return run({arguments.begin() + 1, arguments.end()});
  }
  return ListCommand(arguments);
}

}  // namespace hone
