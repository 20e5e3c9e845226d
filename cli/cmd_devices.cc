#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/print_json.h"
#include "cli/table.h"
#include "rpc_runner/tracker.h"

namespace hone {
namespace {

void PrintStatus(const TrackerStatus& status) {
  Table runners({"key", "label", "cpu", "> cores", "state", "> jobs done", "isolation", "address"});
  for (const RunnerInfo& r : status.runners) {
    runners.Add({r.key, r.label, r.cpu, fmt::format("{}", r.cores), r.state, fmt::format("{}", r.jobs_done),
                 r.isolation, r.address});
  }
  fmt::print("{}", runners.empty() ? "no runners\n" : runners.ToText());
  for (const QueueInfo& q : status.queues) {
    if (q.waiting > 0) fmt::print("key {}: {} waiting\n", q.key, q.waiting);
  }
}

}  // namespace

int DevicesCommand(const Arguments& arguments) {
  CommandLine line("hone devices", "Who is connected to a tracker: key, CPU, state, jobs done, queue.");
  std::string tracker;
  line.Add("--tracker", tracker, "tcp://HOST:PORT").Required().Env("HONE_TRACKER");
  if (!line.Parse(arguments)) return 0;
  const TrackerStatus status = QueryTracker(tracker);
  if (line.json()) {
    PrintJson(StatusToJson(status));
  } else {
    PrintStatus(status);
  }
  line.Next(fmt::format("hone tune MODEL --tracker {} --key NAME", tracker));
  return 0;
}

}  // namespace hone
