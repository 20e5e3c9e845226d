#include "rpc_runner/tracker/fleet_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine/llvm_cpu_name.h"
#include "core/text/printable.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {
namespace {

std::string Head(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

std::string One(const char* name, const char* type, const char* help, int64_t value) {
  return Head(name, type, help) + fmt::format("{} {}\n", name, value);
}

std::string RunnersText(const TrackerStatus& status) {
  std::map<std::pair<std::string, std::string>, int64_t> states;
  std::map<std::string, int64_t> held;
  for (const RunnerInfo& runner : status.runners) {
    ++states[{runner.key, runner.state}];
    held[runner.key] += !runner.held_by.empty();
  }
  std::string text = Head("hone_tracker_runners", "gauge", "Runners by device key and state.");
  for (const auto& [name, count] : states) {
    text += fmt::format("hone_tracker_runners{{key=\"{}\",state=\"{}\"}} {}\n", MetricsLabel(name.first),
                        MetricsLabel(name.second), count);
  }
  text += Head("hone_tracker_held_runners", "gauge", "Runners that are held for one user.");
  for (const auto& [key, count] : held) {
    text += fmt::format("hone_tracker_held_runners{{key=\"{}\"}} {}\n", MetricsLabel(key), count);
  }
  text += Head("hone_tracker_waiting_tuners", "gauge", "Tuners that have no runner of the device key they ask for.");
  for (const QueueInfo& queue : status.queues) {
    text += fmt::format("hone_tracker_waiting_tuners{{key=\"{}\"}} {}\n", MetricsLabel(queue.key), queue.waiting);
  }
  return text;
}

RunnerInfo RunnerInfoOf(const RunnerEntry& runner, int64_t now_ns) {
  const Environment environment = EnvironmentFromJson(runner.environment);
  RunnerInfo info{runner.key, runner.label,          environment.cpu_model, environment.features,
                  "",         environment.isolation, runner.address,        LlvmCpuOf(environment)};
  const bool is_free = runner.state == RunnerEntry::State::kFree;
  info.state = runner.state == RunnerEntry::State::kLost ? "lost"
               : !is_free                                ? "busy"
               : runner.drained                          ? "drained"
               : runner.health.is_offered()              ? "free"
                                                         : runner.health.state;
  info.health = runner.health.why;
  info.roofs = runner.health.roofs;
  info.version = runner.version;
  info.program = runner.program;
  info.wanted = runner.wanted;
  info.not_upgraded = runner.not_upgraded;
  for (const Json& each : runner.runtimes) {
    info.runtimes.push_back({each["runtime"], each["name"], each["version"]});
  }
  info.cores = environment.cores;
  info.core_kind = environment.core_kind;
  info.jobs_done = runner.jobs_done;
  info.drained = runner.drained;
  info.holder = NameForPeople(runner.client);
  if (runner.leased()) info.leased_ns = now_ns - runner.leased_ns;
  info.held_by = runner.held_by;
  if (!runner.held_by.empty()) info.held_ns = std::max<int64_t>(0, runner.held_until_ns - now_ns);
  return info;
}

}  // namespace

std::string MetricsLabel(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string MetricsText(const TrackerNumbers& n) {
  std::string text = RunnersText(n.status);
  text += One("hone_tracker_leases_total", "counter", "Leases granted.", n.counts.leases);
  text += One("hone_tracker_lapsed_leases_total", "counter", "Leases that were not renewed in time.",
              n.counts.lapsed_leases);
  text += One("hone_tracker_lost_runners_total", "counter", "Runners that fell silent.", n.counts.lost_runners);
  text += One("hone_tracker_relayed_frames_total", "counter", "Frames passed on.", n.relayed_frames);
  text += One("hone_tracker_relayed_bytes_total", "counter", "Bytes passed on.", n.relayed_bytes);
  text += One("hone_tracker_dropped_frames_total", "counter", "Frames whose receiver was gone.", n.dropped_frames);
  text += One("hone_tracker_waiting_bytes", "gauge", "Bytes kept for full connections.", n.waiting_bytes);
  text += One("hone_tracker_bad_frames_total", "counter", "Messages that are no frame of ours.", n.bad_frames);
  text += One("hone_tracker_uptime_seconds", "gauge", "Since the tracker began.", n.up_ns / 1'000'000'000);
  text += Head("hone_tracker_refused_frames_total", "counter", "Frames refused, by the error's code.");
  for (const auto& [code, count] : n.counts.refused) {
    text += fmt::format("hone_tracker_refused_frames_total{{code=\"{}\"}} {}\n", MetricsLabel(code), count);
  }
  text += Head("hone_tracker_refused_keys_total", "counter", "Connections refused for their key, by the reason.");
  for (const auto& [reason, count] : n.refused_keys) {
    text += fmt::format("hone_tracker_refused_keys_total{{reason=\"{}\"}} {}\n", MetricsLabel(reason), count);
  }
  return text;
}

TrackerStatus StatusOf(const RunnerRegistry& runners, const WaitingClients& waiting, int64_t now_ns) {
  TrackerStatus status;
  for (const auto& [id, runner] : runners.all()) status.runners.push_back(RunnerInfoOf(runner, now_ns));
  std::map<std::string, std::vector<const TrackerClient*>> queues;
  for (const TrackerClient& client : waiting) queues[client.key].push_back(&client);
  for (auto& [key, clients] : queues) {
    std::stable_sort(clients.begin(), clients.end(),
                     [](const auto* a, const auto* b) { return a->priority > b->priority; });
    QueueInfo queue{key, 0, {}};
    for (const TrackerClient* client : clients) {
      // A tuner that has a runner and would like another does not count as waiting.
      if (runners.Held(client->tuner, client->key) > 0) continue;
      ++queue.waiting;
      if (queue.who.size() < kMostNamed) queue.who.push_back(NameForPeople(*client));
    }
    status.queues.push_back(std::move(queue));
  }
  return status;
}

}  // namespace hone
