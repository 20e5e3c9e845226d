#include "rpc_runner/executor/sandbox/forbid_files.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace hone {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

bool ForbidFiles() { return false; }

#else

namespace {

// The kernel's numbers, equal on all architectures, because some build systems have older headers.
constexpr long kCreateRuleset = 444, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;

struct RulesetAttributes {
  uint64_t files = 0, network = 0, scopes = 0;
};

uint64_t Bits(int count) { return (uint64_t{1} << count) - 1; }

// All rights that the version knows. A kernel refuses unknown bits, but not zeros.
RulesetAttributes AllOf(long version) {
  RulesetAttributes all;
  all.files = Bits(version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13);
  if (version >= 4) all.network = Bits(2);
  if (version >= 6) all.scopes = Bits(1);
  return all;
}

}  // namespace

bool ForbidFiles() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  const RulesetAttributes all = AllOf(version);
  // A right that is handled and has no rule is forbidden.
  const long ruleset = syscall(kCreateRuleset, &all, sizeof(all), 0);
  if (ruleset < 0) return false;
  const bool done = syscall(kRestrictSelf, ruleset, 0) == 0;
  close(static_cast<int>(ruleset));
  return done;
}

#endif

}  // namespace hone
