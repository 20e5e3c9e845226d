#include <fmt/format.h>

#include <map>
#include <string>

#include "cli/command_line.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "core/shell_word.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {
namespace {

// A line per key.
std::string UseText(const TrackerStatus& status) {
  struct Use {
    int busy = 0, all = 0, waiting = 0;
  };
  std::map<std::string, Use> uses;
  for (const RunnerInfo& r : status.runners) {
    uses[r.key].busy += r.state == "busy";
    uses[r.key].all += r.state != "lost";
  }
  for (const QueueInfo& q : status.queues) uses[q.key].waiting = q.waiting;
  std::string text;
  for (const auto& [key, use] : uses) {
    const std::string waiting = use.waiting > 0 ? fmt::format(", {} waiting", use.waiting) : "";
    text += fmt::format("key {}: {} of {} runners in use{}\n", key, use.busy, use.all, waiting);
  }
  return text;
}

void PrintStatus(const TrackerStatus& status) {
  Table runners({"key", "label", "cpu", "llvm cpu", "> cores", "state", "> jobs done", "isolation", "address"});
  for (const RunnerInfo& r : status.runners) {
    runners.Add({r.key, r.label, r.cpu, r.llvm_cpu, fmt::format("{}", r.cores), r.state, fmt::format("{}", r.jobs_done),
                 r.isolation, r.address});
  }
  Print("{}", runners.empty() ? "no runners\n" : runners.ToText());
  Print("{}", UseText(status));
}

}  // namespace

int DevicesCommand(const Arguments& arguments) {
  CommandLine line("hone devices", "Who is connected to a tracker: key, CPU, state, jobs done, queue.");
  std::string tracker;
  line.Add("--tracker", tracker, "tcp://HOST:PORT").Required().Env("HONE_TRACKER").About(Topic::kRunners);
  if (!line.Parse(arguments)) return 0;
  const TrackerStatus status = QueryTracker(tracker);
  if (line.json()) {
    PrintJson(StatusToJson(status));
  } else {
    PrintStatus(status);
  }
  line.Next("hone tune MODEL" + line.Given({Topic::kRunners}) + " --key " +
            (status.runners.empty() ? "NAME" : ShellWord(status.runners.front().key)));
  return 0;
}

}  // namespace hone
