// How a tuner comes by leases.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/serialize.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

// Asks a tracker for leases one after the other, of machines alike: each under a name of its own, so that the tuner
// never has more than one place in the queue. docs/protocol.md, "Leases". Used by one thread.
class LeaseAsker {
 public:
  // `tuner` names all of its leases to the tracker. The options must outlive it.
  LeaseAsker(const RemoteRunnerOptions& options, const std::string& tuner);

  // The name under which the next lease is asked for.
  const std::string& client() const { return client_; }
  // The request, at once after each lease and then once a beat; absent when it is not time.
  std::optional<Frame> Ask(int64_t now_ns);
  void AskAtOnce() { asked_ns_ = 0; }

  // Whether a lease answers the request and is not one that it answered before: see Took.
  bool IsAnswer(const Json& lease) const;
  // What of a machine is unlike those before it; "" when it is alike, or the first.
  std::string Difference(const Json& kind) const;
  // The lease is taken, and the next one is asked for.
  void Took(const Json& kind);
  // It is not: a tracker that does not know `machine` named another kind. It is asked again in a beat.
  void Refused(int64_t now_ns);

  // The runner failed us and is asked for no more.
  void LeaveOut(const std::string& runner);
  // Tells on stderr, once each, of runners that the tracker or we left out: [{"label", "runner", "why"}].
  void TellOfUnlike(const Json& runners);

 private:
  const RemoteRunnerOptions& options_;
  const std::string tuner_;
  std::string client_;
  Json kind_;                      // of the machines; null before the first
  std::set<std::string> told_of_;  // runners
  std::set<std::string> without_;  // runners that failed us
  int64_t asked_ns_ = 0;
};

}  // namespace hone
