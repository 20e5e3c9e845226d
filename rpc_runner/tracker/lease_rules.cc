#include "rpc_runner/tracker/lease_rules.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "rpc_runner/machine/machine_kind.h"

namespace hone {
namespace {

constexpr size_t kMostUnlike = 16, kMostBusy = 16;

bool IsOfKind(const RunnerEntry& runner, const TrackerClient& client) {
  return client.machine.is_null() || KindDifference(runner.machine, client.machine).empty();
}

bool MayHave(const RunnerEntry& runner, const TrackerClient& client) {
  return runner.health.is_offered() && !runner.drained && (runner.held_by.empty() || runner.held_by == client.user) &&
         !client.without.contains(runner.id);
}

// Why the client cannot have the runner yet, and for how many ns at most (0 if unknown); "" if it can.
std::pair<std::string, int64_t> WhyBusy(const RunnerEntry& runner, const TrackerClient& client, int64_t now_ns) {
  if (runner.drained) return {"drained", 0};
  if (!runner.held_by.empty() && runner.held_by != client.user) {
    return {"held by " + runner.held_by, std::max<int64_t>(0, runner.held_until_ns - now_ns)};
  }
  if (!runner.health.is_offered()) return {runner.health.ToText(), 0};
  if (!runner.leased()) return {"", 0};
  const std::string holder = NameForPeople(runner.client);
  return {holder.empty() ? "leased" : "leased by " + holder, 0};
}

RunnerEntry* FreeFor(const TrackerClient& client, const RunnerRegistry& runners) {
  for (const auto& [kind, group] : runners.FreeOf(client.key)) {
    if (!IsOfKind(*group.begin()->second, client)) continue;
    const auto may =
        std::find_if(group.begin(), group.end(), [&](const auto& r) { return MayHave(*r.second, client); });
    if (may != group.end()) return may->second;
  }
  return nullptr;
}

}  // namespace

std::optional<LeaseMatch> NextMatch(const WaitingClients& waiting, const RunnerRegistry& runners) {
  std::optional<LeaseMatch> next;
  std::tuple<int, int64_t> least;
  for (size_t i = 0; i < waiting.size(); ++i) {
    const TrackerClient& client = waiting[i];
    const std::tuple<int, int64_t> rank = {-client.priority, runners.Held(client.tuner, client.key)};
    if (next && rank >= least) continue;
    RunnerEntry* const free = FreeFor(client, runners);
    if (free == nullptr) continue;
    next = LeaseMatch{i, free};
    least = rank;
  }
  return next;
}

// Moving one runner from its tuner to a waiting one must not leave the waiting one ahead. Priority overrides this, but
// never takes the last runner.
bool ShouldYield(const RunnerEntry& runner, const WaitingClients& waiting, const RunnerRegistry& runners) {
  const TrackerClient& holder = runner.client;
  const int64_t held = runners.Held(holder.tuner, runner.key);
  if (held < 2) return false;
  return std::any_of(waiting.begin(), waiting.end(), [&](const TrackerClient& client) {
    if (client.key != runner.key || client.tuner == holder.tuner || client.priority < holder.priority) return false;
    const bool due = client.priority > holder.priority || held >= runners.Held(client.tuner, runner.key) + 2;
    return due && MayHave(runner, client) && IsOfKind(runner, client);
  });
}

bool MustYield(const RunnerEntry& runner) {
  return runner.drained || (!runner.held_by.empty() && runner.held_by != runner.client.user);
}

int64_t RunnersFor(const TrackerClient& client, const RunnerRegistry& runners) {
  int64_t count = 0;
  for (const auto& [kind, group] : runners.KindsOf(client.key)) {
    if (!IsOfKind(**group.begin(), client)) continue;
    count += std::count_if(group.begin(), group.end(), [&](const auto* runner) { return MayHave(*runner, client); });
  }
  return count;
}

Json UnlikeRunners(const TrackerClient& client, const RunnerRegistry& runners) {
  Json unlike = Json::array();
  for (const auto& [kind, group] : runners.KindsOf(client.key)) {
    const bool alike = IsOfKind(**group.begin(), client);
    const std::string difference = alike ? "" : KindDifference((*group.begin())->machine, client.machine);
    for (const RunnerEntry* runner : group) {
      const std::string why = runner->health.is_offered() ? difference : runner->health.ToText();
      if (why.empty()) continue;
      if (unlike.size() == kMostUnlike) return unlike;
      unlike.push_back({{"label", runner->label}, {"runner", runner->id}, {"why", why}});
    }
  }
  return unlike;
}

Json BusyRunners(const TrackerClient& client, const RunnerRegistry& runners, int64_t now_ns) {
  Json busy = Json::array();
  for (const auto& [kind, group] : runners.KindsOf(client.key)) {
    if (!IsOfKind(**group.begin(), client)) continue;
    for (const RunnerEntry* runner : group) {
      const bool is_ours = runner->leased() && runner->client.tuner == client.tuner;
      if (is_ours || client.without.contains(runner->id)) continue;
      const auto [why, for_ns] = WhyBusy(*runner, client, now_ns);
      if (why.empty()) continue;
      if (busy.size() == kMostBusy) return busy;
      busy.push_back({{"label", runner->label}, {"why", why}});
      if (for_ns > 0) busy.back()["for_ns"] = for_ns;
    }
  }
  return busy;
}

int64_t PlaceInQueue(const TrackerClient& client, const WaitingClients& waiting) {
  int64_t before = 0;
  bool passed = false;
  for (const TrackerClient& other : waiting) {
    passed = passed || other.id == client.id;
    if (other.id == client.id || other.key != client.key) continue;
    before += other.priority > client.priority || (other.priority == client.priority && !passed);
  }
  return before;
}

}  // namespace hone
