// A tuner's leases: the requests for them, the lines that it prints while it waits, and those that it holds.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/json/serialize.h"
#include "core/measurement.h"
#include "rpc_runner/remote/job_queue.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Asks for leases one after the other, of machines of one kind. Each request has a name of its own, so that the tuner
// never has more than one place in the queue. docs/reference/protocol.md, "Leases". Used by one thread only.
class LeaseRequester {
 public:
  // `tuner` identifies the tuner's leases to the tracker. The options must outlive this object.
  LeaseRequester(const RemoteRunnerOptions& options, const std::string& tuner);

  // The name of the next request.
  const std::string& client() const { return client_; }
  // The request, if it is time: at once after each lease, and otherwise once per heartbeat.
  std::optional<Frame> NextRequest(int64_t now_ns);
  void RequestAtOnce() { requested_ns_ = 0; }

  // Whether a lease answers the present request, and not an earlier one: see OnGranted.
  bool IsAnswer(const Json& lease) const;
  // The difference of a machine from those before it; "" if there is none, or it is the first.
  std::string Difference(const Json& kind) const;
  // The lease was taken; the next request gets a new name.
  void OnGranted(const Json& kind);
  // The lease was refused, because an old tracker that does not know `machine` offered another kind. Asks again after a
  // heartbeat.
  void OnRefused(int64_t now_ns);

  // The runner failed, and is not requested again.
  void Exclude(const std::string& runner);
  // Reports on stderr, once each, runners that the tracker or this tuner left out: [{"label", "runner", "why"}].
  void ReportUnlike(const Json& runners);

 private:
  const RemoteRunnerOptions& options_;
  const std::string tuner_;
  std::string client_;
  Json kind_;                       // of the machines so far; null before the first
  std::set<std::string> reported_;  // runners
  std::set<std::string> excluded_;  // runners that failed
  int64_t requested_ns_ = 0;
};

// A runner that a tuner has leased, and the connections to it. Used by one thread only.
struct HeldLease {
  WorkerId worker = 0;
  std::string client;  // the name under which it was asked for
  std::string lease;
  std::string runner;  // its id at the tracker; empty if not told
  Environment environment;
  std::unique_ptr<Socket> direct;  // the direct connection; null if the runner is reached only through the tracker
  int64_t direct_heard_ns = 0;
  int64_t heard_ns = 0;  // 0: the lease is over
  int64_t heartbeat_ns = 0;

  // Connects directly to the runner. On failure this prints the reason on stderr and keeps to the tracker.
  void ConnectDirectly(SocketContext& context, const std::string& address);
  // Sends directly once the runner was heard there, otherwise through `tracker`. Returns false if the connection has no
  // room at the moment. Throws Error(kBadData) for a frame beyond the protocol's limits.
  bool Send(Frame frame, Socket& tracker);
  // As Send, but a heartbeat also goes directly before the runner was heard there, so that the runner learns of the
  // connection.
  void SendHeartbeat(Frame heartbeat, Socket& tracker);

 private:
  bool IsDirectOpen() const;
};

// Null when there is none.
HeldLease* FindWorker(std::list<HeldLease>& leases, WorkerId worker);
HeldLease* FindLease(std::list<HeldLease>& leases, const std::string& lease);

// The text for docs/reference/protocol.md's `busy`, as "pi4-1 is held by ada for 79 s, pi4-2 is drained"; "" for an
// empty list. Throws Error(kBadData).
std::string BusyText(const Json& busy);

// The lines that a tuner prints while others have the runners it wants: when waiting begins, when other runners are
// busy or for other reasons, and every 30 s. Not thread-safe.
class WaitingNotice {
 public:
  // The text to print at this time; "" if none.
  std::string Next(const Json& busy, int64_t now_ns);
  // The waiting is over.
  void Reset() { *this = {}; }

 private:
  Json reported_;  // `busy` without its times
  int64_t reported_ns_ = 0;
};

}  // namespace hone
