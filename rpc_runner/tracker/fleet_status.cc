#include "rpc_runner/tracker/fleet_status.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/machine/llvm_cpu_name.h"
#include "rpc_runner/tracker/bounded_fields.h"

namespace hone {
namespace {

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
