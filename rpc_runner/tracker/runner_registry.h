// The runners that a tracker knows, and their leases, indexed so that no question needs a walk over all of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/json/serialize.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

// The device's speed as a runner tells it to a tracker: `health` and `roofs` of its hello (docs/reference/protocol.md).
struct RunnerHealth {
  std::string state;  // as HealthStateName; empty if the runner does not watch its device
  std::string why;    // why the device is in doubt; empty if it is not
  std::string roofs;  // RoofsText

  // Throws Error(kBadData) if a field exists but is invalid.
  static RunnerHealth FromHello(const Json& header);
  // Whether it may be leased. States that this program does not know count as healthy.
  bool is_offered() const { return state != "quarantined" && state != "probation"; }
  // "quarantined: golden kernel 6.1 % slower than usual (arithmetic)".
  std::string ToText() const { return why.empty() ? state : state + ": " + why; }
};

struct RunnerEntry {
  enum class State { kFree, kOffered, kBusy, kLost };
  std::string id;
  std::string peer;   // its connection
  std::string owner;  // the name of the sender that owns it; empty without keys
  std::string key, label, address;
  Json environment;
  Json machine;      // MachineKind
  std::string kind;  // the text of `machine`
  RunnerHealth health;
  State state = State::kFree;
  std::string lease;
  std::string holder;    // the name of the sender that has the lease; empty without keys
  TrackerClient client;  // the lease's client, as far as it is known
  int64_t lease_until_ns = 0;
  int64_t leased_ns = 0;  // when the lease began, or was first heard of
  int64_t heard_ns = 0;
  int64_t jobs_done = 0;
  std::string held_by;  // the user who has it exclusively; empty if none
  int64_t held_until_ns = 0;
  bool drained = false;
  std::string version, program;  // of hone-runner, and its file's SHA-256; empty: not told
  bool upgrades = false;         // whether it accepts upgrades
  Json runtimes;                 // as the hello lists those that it offers; null: none
  std::string wanted;            // the program that it should be upgraded to; empty: none
  std::string not_upgraded;      // why the last upgrade failed

  bool leased() const { return state == State::kOffered || state == State::kBusy; }
};

// The begin or end of a lease.
struct LeaseChange {
  bool begins = false;
  std::string lease, device, key;  // the runner's label and the key that it offers
  std::string holder, label;       // the name that the transport proved; the name that the holder gives itself
  bool operator==(const LeaseChange&) const = default;
};

// Not thread-safe. Entries keep their addresses until they are removed.
class RunnerRegistry {
 public:
  using Entries = std::map<std::string, RunnerEntry>;  // by id
  const Entries& all() const { return entries_; }

  RunnerEntry* Find(const std::string& id);
  RunnerEntry* FindLease(const std::string& lease);  // offered or taken
  RunnerEntry* FindClient(const std::string& client);
  // A read-only overload.
  const RunnerEntry* FindLease(const std::string& lease) const;

  // A new entry, or the existing one of that id.
  RunnerEntry& Insert(const std::string& id);
  void Remove(const std::string& id);
  // Changes an entry's fields and updates the indices. Every change must go through here.
  template <typename Change>
  void Update(RunnerEntry& entry, const Change& change) {
    const LeaseChange before = LeaseOf(entry);
    Unlist(entry);
    change(entry);
    List(entry);
    NoteChange(before, LeaseOf(entry));
  }
  // Leases that began or ended since the last call, in order.
  std::vector<LeaseChange> TakeLeaseChanges() { return std::exchange(lease_changes_, {}); }

  // Runners of the key that are not lost, by the text of their kind.
  using Kinds = std::map<std::string, std::set<const RunnerEntry*>>;
  const Kinds& KindsOf(const std::string& key) const;
  // Free runners of the key, by the text of their kind, then by id.
  using FreeKinds = std::map<std::string, std::map<std::string, RunnerEntry*>>;
  const FreeKinds& FreeOf(const std::string& key) const;
  bool any_free() const { return !free_.empty(); }
  // The number of runners of the key that the tuner has or is being offered.
  int64_t Held(const std::string& tuner, const std::string& key) const;

 private:
  // The entry's lease if it has been taken; without a name otherwise.
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
