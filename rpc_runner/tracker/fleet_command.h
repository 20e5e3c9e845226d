// Commands about devices, as the tracker reads them and applies them to a runner, and the programs of upgrades:
// docs/reference/protocol.md, "Holding and draining" and "Upgrading runners".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "rpc_runner/tracker/runner_registry.h"
#include "rpc_runner/tracker/tracker_client.h"

namespace hone {

struct FleetCommand {
  enum class Kind { kHold, kUnhold, kDrain, kUndrain, kUpgrade };
  Kind kind = Kind::kHold;
  std::string what;   // a key or a label
  std::string user;   // who gives the command; never empty for kHold and kUnhold
  std::string owner;  // the name of the sender; empty without keys
  bool is_admin = false;
  int64_t for_ns = 0;   // for kHold
  std::string program;  // for kUpgrade: the SHA-256 of the new program

  bool is_hold() const { return kind == Kind::kHold || kind == Kind::kUnhold; }
};

// Leaves out `program`. Throws Error(kBadData), LimitExceeded.
FleetCommand ReadCommand(const Caller& caller, const Json& header);
// Whether the command applies to the runner.
bool Concerns(const FleetCommand& command, const RunnerEntry& runner);
// Whether the sender may give this command to the runner. A runner's key may command its own devices, an admin's all.
bool MayCommand(const FleetCommand& command, const RunnerEntry& runner);
// Why the command cannot be obeyed; empty if it can.
std::string WhyRefused(const FleetCommand& command, const RunnerEntry& runner);
void Apply(const FleetCommand& command, int64_t now_ns, RunnerEntry* runner);

// The programs that runners should be upgraded to. Not thread-safe.
class ProgramStore {
 public:
  static constexpr size_t kMostPrograms = 4;
  static constexpr size_t kMostFileBytes = size_t{16} << 20;
  static constexpr size_t kMostSignatureBytes = size_t{4} << 10;

  // Keeps a file and its signature, dropping the oldest if the store is full. Returns the file's SHA-256. Throws
  // Error(kBadData) if there are not two parts, LimitExceeded beyond the limits.
  std::string Put(const std::vector<std::string>& parts);
  // Returns the two parts; null if the program was dropped.
  const std::vector<std::string>* Find(const std::string& sha256) const;

 private:
  struct Program {
    std::string sha256;
    std::vector<std::string> parts;
  };
  std::deque<Program> programs_;
};

}  // namespace hone
