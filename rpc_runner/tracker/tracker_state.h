// Who is there, who waits, who has leased whom: the tracker without its socket and its clock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "rpc_runner/tracker/tracker.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

// Times are given by the caller and never fall. Not thread-safe.
class TrackerState {
 public:
  struct Outgoing {
    std::string peer;
    Frame frame;
  };

  // Takes a frame from a peer; what to send then. Throws Error(kBadData) on a header that lacks a field.
  std::vector<Outgoing> Handle(const std::string& peer, const Frame& frame, int64_t now_ns);
  // Finds out who is lost and which leases are over. To be called several times a second.
  std::vector<Outgoing> Tick(int64_t now_ns);
  TrackerStatus Status() const;

 private:
  enum class State { kFree, kOffered, kBusy, kLost };
  struct Client {
    std::string id, peer, label, key;
    std::string tuner;  // whose leases are counted together; the id where the client does not say
    Json machine;       // the kind that it must be; null: any
    int64_t heard_ns = 0;
  };
  struct RunnerEntry {
    std::string id, peer, key, label, address;
    Json environment;
    Json machine;  // MachineKind
    State state = State::kFree;
    std::string lease;
    Client client;  // of the lease, as far as it is known
    int64_t lease_until_ns = 0;
    int64_t heard_ns = 0;
    int64_t jobs_done = 0;
  };

  void OnHello(const std::string& peer, const Json& header, int64_t now_ns);
  void OnBye(const Json& header);
  void OnRunnerBeat(const std::string& peer, const Json& header, int64_t now_ns);
  void OnClientBeat(const std::string& peer, const Json& header, int64_t now_ns);
  void OnLeaseTaken(const Json& header, int64_t now_ns);
  void OnLeaseRequest(const std::string& peer, const Json& header, int64_t now_ns);
  void OnRelease(const Json& header);
  void MarkLost(RunnerEntry& runner);
  void EndLease(RunnerEntry& runner);
  // The free runner that the client may have; null: none.
  RunnerEntry* FreeFor(const Client& client);
  static bool Fits(const RunnerEntry& runner, const Client& client);
  // Runners of the key that the tuner has or is being given.
  int64_t Held(const std::string& tuner, const std::string& key) const;
  bool ShouldYield(const RunnerEntry& runner) const;
  Json Unlike(const Client& client) const;
  void Match(int64_t now_ns);
  void SendLease(const RunnerEntry& runner);
  void SendQueued(const Client& client);
  void Send(const std::string& peer, FrameKind kind, Json header);
  std::vector<Outgoing> TakeOutgoing();

  std::map<std::string, RunnerEntry> runners_;  // by id
  std::deque<Client> waiting_;                  // in the order of coming
  std::vector<Outgoing> outgoing_;
};

// The header of a kStatus frame, and back (throws Error(kBadData)).
TrackerStatus StatusFromJson(const Json& json);

}  // namespace hone
