// The tracker's runners, waiting clients and leases, without its socket and its clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rpc_runner/tracker/fleet_command.h"
#include "rpc_runner/tracker/lease_rules.h"
#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_client.h"
#include "rpc_runner/tracker/tracker_status.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

// Counts since the tracker started.
struct TrackerCounts {
  int64_t leases = 0;         // granted
  int64_t lapsed_leases = 0;  // leases that were not renewed in time
  int64_t lost_runners = 0;
  std::map<std::string, int64_t> refused;  // frames, by the code of the answer
};

// The caller passes times, which must not decrease. Not thread-safe. Its memory is bounded by
// docs/reference/protocol.md's Limits.
class TrackerState {
 public:
  static constexpr size_t kMostRunners = 4096;
  static constexpr size_t kMostWaiting = 4096;

  struct Outgoing {
    std::string peer;
    Frame frame;
  };

  // Handles a frame without a lease in its head and returns the messages to send. Throws Error(kBadData) if the header
  // lacks a field.
  std::vector<Outgoing> Handle(const Caller& caller, const Frame& frame, int64_t now_ns);
  // Finds lost runners and clients, and leases that are over. Call it several times a second.
  std::vector<Outgoing> Tick(int64_t now_ns);
  // The connection to which a frame with a lease in its head goes. Nullopt if its sender is no end of that lease, or
  // may not send this kind; then `answer` is the reply.
  std::optional<std::string> Route(const Caller& caller, const FrameHead& head, Frame* answer);
  TrackerStatus Status(int64_t now_ns) const;
  const TrackerCounts& counts() const { return counts_; }
  std::vector<LeaseChange> TakeLeaseChanges() { return runners_.TakeLeaseChanges(); }

 private:
  using State = RunnerEntry::State;

  void OnHello(const Caller& caller, const Json& header, int64_t now_ns);
  void OnBye(const Caller& caller, const Json& header);
  void OnRunnerHeartbeat(const Caller& caller, const Json& header, int64_t now_ns);
  void OnClientHeartbeat(const Caller& caller, const Json& header, int64_t now_ns);
  void OnLeaseTaken(const Caller& caller, const Json& header, int64_t now_ns);
  void OnLeaseRequest(const Caller& caller, const Json& header, int64_t now_ns);
  void OnRelease(const Caller& caller, const Json& header);
  void OnCommand(const Caller& caller, const Frame& frame, int64_t now_ns);
  void OnNeed(const Caller& caller, const Json& header);

  Json HeartbeatTo(const RunnerEntry& runner, int64_t now_ns) const;
  bool MakeRoom();
  void MarkLost(RunnerEntry& runner);
  void EndLease(RunnerEntry& runner);
  void Match(int64_t now_ns);
  void SendLease(const RunnerEntry& runner);
  void SendQueued(const TrackerClient& client, int64_t now_ns);
  void SendStatus(const std::string& peer, int64_t now_ns);
  void Send(const std::string& peer, FrameKind kind, Json header);
  void Refuse(const std::string& peer, const char* code, const std::string& message);
  std::vector<Outgoing> TakeOutgoing();

  RunnerRegistry runners_;
  WaitingClients waiting_;
  ProgramStore programs_;
  std::vector<Outgoing> outgoing_;
  TrackerCounts counts_;
  bool changed_ = false;  // whether a client began to wait or a runner became free
};

}  // namespace hone
