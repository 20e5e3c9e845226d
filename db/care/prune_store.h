// Taking records out of a store that nobody will miss.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/measurement.h"

namespace hone {

// Which records may go: those of which all that is said here is true.
struct PrunePolicy {
  std::optional<int64_t> before_unix_ms{};  // measured before
  std::optional<Fate> fate{};
  // Not among the fastest so many of their workload, machine, target, threads and cache mode; what has no time, or is
  // noisy, is among none.
  std::optional<int64_t> beyond_rank{};
};

struct Pruned {
  int64_t records = 0;      // that went, or would go
  int64_t kept = 0;         // that stay
  int64_t freed_bytes = 0;  // 0 for a rehearsal
};

// Never takes what a build may choose or what decided it: the best of each workload, machine, target, threads and cache
// mode, every record of finals, and every record of a candidate that finals were held over. The record that came last
// stays too, so that the order of arrival goes on. `rehearse`: only counts. Throws Error: what RecordStore::Open
// throws.
Pruned PruneStore(const std::string& path, const PrunePolicy& policy, bool rehearse);

}  // namespace hone
