// A command about devices, as the tracker reads it and applies it to a runner: docs/reference/protocol.md, "Holding and
// draining" and "Upgrading runners".
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
  std::string user;   // who gives the order; never empty for kHold and kUnhold
  std::string owner;  // the name of the sender; empty without keys
  bool is_admin = false;
  int64_t for_ns = 0;   // for kHold
  std::string program;  // for kUpgrade: the SHA-256 of the new program

  bool is_hold() const { return kind == Kind::kHold || kind == Kind::kUnhold; }
};

// Leaves out `program`. Throws Error(kBadData), TooBig.
DeviceOrder ReadOrder(const Caller& caller, const Json& header);
// Whether the order applies to the runner.
bool IsMeant(const DeviceOrder& order, const RunnerEntry& runner);
// Whether the sender may give this order to the runner. A runner's key may command its own devices, an admin's all.
bool MayOrder(const DeviceOrder& order, const RunnerEntry& runner);
// Why the order cannot be obeyed; empty if it can.
std::string WhyNot(const DeviceOrder& order, const RunnerEntry& runner);
void Obey(const DeviceOrder& order, int64_t now_ns, RunnerEntry* runner);

}  // namespace hone
