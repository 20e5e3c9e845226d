// The runners that a tracker knows, and their leases, so that each question about them is answered without a walk over
// all of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/serialize.h"
#include "rpc_runner/health/runner_health.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

struct RunnerEntry {
  enum class State { kFree, kOffered, kBusy, kLost };
  std::string id;
  std::string peer;   // its connection
  std::string owner;  // the name of the sender it belongs to; empty without keys
  std::string key, label, address;
  Json environment;
  Json machine;      // MachineKind
  std::string kind;  // its text
  RunnerHealth health;
  State state = State::kFree;
  std::string lease;
  std::string holder;    // the name of the sender that the lease is for; empty without keys
  TrackerClient client;  // of the lease, as far as it is known
  int64_t lease_until_ns = 0;
  int64_t leased_ns = 0;  // when the lease began, or was heard of
  int64_t heard_ns = 0;
  int64_t jobs_done = 0;
  std::string held_by;  // the user that has it to himself; empty: anybody may
  int64_t held_until_ns = 0;
  bool drained = false;
  std::string version, program;  // of hone-runner, and its file's SHA-256; empty: not told
  bool upgrades = false;         // it would become another program
  std::string wanted;            // the program that it is to become; empty: it may stay what it is
  std::string not_upgraded;      // why it did not become what was wanted last

  bool leased() const { return state == State::kOffered || state == State::kBusy; }
};

// A lease was taken, or is over.
struct LeaseChange {
  bool begins = false;
  std::string lease, device, key;  // the runner's label and the key that it offers
  std::string holder, label;       // the name that the transport proved; what the holder calls itself
  bool operator==(const LeaseChange&) const = default;
};

// Not thread-safe. Entries stay where they are in memory until they are removed.
class RunnerRegistry {
 public:
  using Entries = std::map<std::string, RunnerEntry>;  // by id
  const Entries& all() const { return entries_; }

  RunnerEntry* Find(const std::string& id);
  RunnerEntry* FindLease(const std::string& lease);  // offered or taken
  RunnerEntry* FindClient(const std::string& client);
  // The same, to look at alone.
  const RunnerEntry* FindLease(const std::string& lease) const;

  // A new entry, or the one of that id as it was.
  RunnerEntry& Insert(const std::string& id);
  void Remove(const std::string& id);
  // Every change of an entry's fields goes through here.
  template <typename Change>
  void Update(RunnerEntry& entry, const Change& change) {
    const LeaseChange before = LeaseOf(entry);
    Unlist(entry);
    change(entry);
    List(entry);
    NoteChange(before, LeaseOf(entry));
  }
  // Of leases taken and over since it was asked last, in their order.
  std::vector<LeaseChange> TakeLeaseChanges() { return std::exchange(lease_changes_, {}); }

  // Those of the key that are not lost, by the text of their kind.
  using Kinds = std::map<std::string, std::set<const RunnerEntry*>>;
  const Kinds& KindsOf(const std::string& key) const;
  // Free ones of the key, by the text of their kind, by id.
  using FreeKinds = std::map<std::string, std::map<std::string, RunnerEntry*>>;
  const FreeKinds& FreeOf(const std::string& key) const;
  bool any_free() const { return !free_.empty(); }
  // Runners of the key that the tuner has or is being given.
  int64_t Held(const std::string& tuner, const std::string& key) const;

 private:
  // The lease that has been taken; without a name where there is none.
  static LeaseChange LeaseOf(const RunnerEntry& entry);
  void NoteChange(const LeaseChange& before, const LeaseChange& after);
  void List(RunnerEntry& entry);
  void Unlist(RunnerEntry& entry);

  Entries entries_;
  std::vector<LeaseChange> lease_changes_;
  std::unordered_map<std::string, RunnerEntry*> by_lease_, by_client_;
  std::map<std::string, Kinds> kinds_;
  std::map<std::string, FreeKinds> free_;
  std::map<std::string, std::map<std::string, int64_t>> held_;  // by key, by tuner
};

}  // namespace hone
