// Requests a tuner's leases from a tracker.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/json/serialize.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/protocol.h"

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

}  // namespace hone
