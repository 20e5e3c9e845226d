#include "rpc_runner/tracker/runner_registry.h"

#include <algorithm>
#include <string>

#include "core/json/json_fields.h"
#include "rpc_runner/health/roofs.h"

namespace hone {
namespace {

// The most bytes that a tracker keeps of each text from a runner.
constexpr size_t kMostHealthTextBytes = 400;

std::string Bounded(std::string text) {
  text.resize(std::min(text.size(), kMostHealthTextBytes));
  return text;
}

template <typename Map>
RunnerEntry* FindIn(const Map& map, const std::string& name) {
  const auto it = map.find(name);
  return it == map.end() ? nullptr : it->second;
}

// Also erases maps that become empty, so that old keys cost nothing.
template <typename Outer, typename Inner>
void EraseFrom(Outer& outer, const std::string& first, const std::string& second, const Inner& element) {
  const auto kinds = outer.find(first);
  if (kinds == outer.end()) return;
  const auto group = kinds->second.find(second);
  if (group == kinds->second.end()) return;
  group->second.erase(element);
  if (group->second.empty()) kinds->second.erase(group);
  if (kinds->second.empty()) outer.erase(kinds);
}

}  // namespace

RunnerHealth RunnerHealth::FromHello(const Json& header) {
  RunnerHealth health;
  if (header.contains("health")) {
    health.state = Bounded(TextField(header["health"], "state"));
    health.why = Bounded(TextField(header["health"], "why"));
  }
  if (header.contains("roofs")) health.roofs = Bounded(RoofsText(RoofsFromJson(header["roofs"])));
  return health;
}

RunnerEntry* RunnerRegistry::Find(const std::string& id) {
  const auto it = entries_.find(id);
  return it == entries_.end() ? nullptr : &it->second;
}

RunnerEntry* RunnerRegistry::FindLease(const std::string& lease) { return FindIn(by_lease_, lease); }
const RunnerEntry* RunnerRegistry::FindLease(const std::string& lease) const { return FindIn(by_lease_, lease); }
RunnerEntry* RunnerRegistry::FindClient(const std::string& client) { return FindIn(by_client_, client); }

RunnerEntry& RunnerRegistry::Insert(const std::string& id) {
  const auto [it, is_new] = entries_.try_emplace(id);
  if (is_new) {
    it->second.id = id;
    it->second.state = RunnerEntry::State::kLost;
    List(it->second);
  }
  return it->second;
}

void RunnerRegistry::Remove(const std::string& id) {
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;
  NoteChange(LeaseOf(it->second), {});
  Unlist(it->second);
  entries_.erase(it);
}

LeaseChange RunnerRegistry::LeaseOf(const RunnerEntry& entry) {
  if (entry.state != RunnerEntry::State::kBusy) return {};
  return {false, entry.lease, entry.label, entry.key, entry.holder, entry.client.label};
}

void RunnerRegistry::NoteChange(const LeaseChange& before, const LeaseChange& after) {
  if (before.lease == after.lease) return;
  if (!before.lease.empty()) lease_changes_.push_back(before);
  if (after.lease.empty()) return;
  lease_changes_.push_back(after);
  lease_changes_.back().begins = true;
}

void RunnerRegistry::List(RunnerEntry& entry) {
  if (entry.state == RunnerEntry::State::kLost) return;
  kinds_[entry.key][entry.kind].insert(&entry);
  if (entry.state == RunnerEntry::State::kFree) free_[entry.key][entry.kind][entry.id] = &entry;
  if (!entry.leased()) return;
  by_lease_[entry.lease] = &entry;
  if (entry.client.id.empty()) return;
  by_client_[entry.client.id] = &entry;
  ++held_[entry.key][entry.client.tuner];
}

void RunnerRegistry::Unlist(RunnerEntry& entry) {
  if (entry.state == RunnerEntry::State::kLost) return;
  EraseFrom(kinds_, entry.key, entry.kind, &entry);
  EraseFrom(free_, entry.key, entry.kind, entry.id);
  if (!entry.leased()) return;
  if (FindLease(entry.lease) == &entry) by_lease_.erase(entry.lease);
  if (entry.client.id.empty()) return;
  if (FindClient(entry.client.id) == &entry) by_client_.erase(entry.client.id);
  auto& tuners = held_[entry.key];
  if (--tuners[entry.client.tuner] == 0) tuners.erase(entry.client.tuner);
  if (tuners.empty()) held_.erase(entry.key);
}

const RunnerRegistry::Kinds& RunnerRegistry::KindsOf(const std::string& key) const {
  static const Kinds kNone;
  const auto it = kinds_.find(key);
  return it == kinds_.end() ? kNone : it->second;
}

const RunnerRegistry::FreeKinds& RunnerRegistry::FreeOf(const std::string& key) const {
  static const FreeKinds kNone;
  const auto it = free_.find(key);
  return it == free_.end() ? kNone : it->second;
}

int64_t RunnerRegistry::Held(const std::string& tuner, const std::string& key) const {
  const auto tuners = held_.find(key);
  if (tuners == held_.end()) return 0;
  const auto count = tuners->second.find(tuner);
  return count == tuners->second.end() ? 0 : count->second;
}

}  // namespace hone
