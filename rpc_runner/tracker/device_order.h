// A command about devices as the tracker reads it and does it to one of them: docs/protocol.md, "Holding and draining"
// and "Upgrading runners".
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

struct DeviceOrder {
  enum class Kind { kHold, kUnhold, kDrain, kUndrain, kUpgrade };
  Kind kind = Kind::kHold;
  std::string what;   // a key or a label
  std::string user;   // who gives it; never empty for kHold and kUnhold
  std::string owner;  // the name of the sender that gives it; empty without keys
  bool is_admin = false;
  int64_t for_ns = 0;   // of kHold
  std::string program;  // of kUpgrade: the SHA-256 of the program that they are to become

  bool is_hold() const { return kind == Kind::kHold || kind == Kind::kUnhold; }
};

// Without `program`. Throws Error(kBadData), TooBig.
DeviceOrder ReadOrder(const Caller& caller, const Json& header);
// Whether the runner is of those meant.
bool IsMeant(const DeviceOrder& order, const RunnerEntry& runner);
// Whether whoever gives it may give it to this runner: a runner's key orders its own devices about, an admin's all.
bool MayOrder(const DeviceOrder& order, const RunnerEntry& runner);
// What stands against it; empty: nothing.
std::string WhyNot(const DeviceOrder& order, const RunnerEntry& runner);
void Obey(const DeviceOrder& order, int64_t now_ns, RunnerEntry* runner);

}  // namespace hone
