// Removes records from a store that are not needed any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/measurement.h"

namespace hone {

// Selects the records to remove: those that fulfil all given conditions.
struct PrunePolicy {
  std::optional<int64_t> before_unix_ms{};  // measured before this time
  std::optional<Fate> fate{};
  // Not among this many fastest of their workload, machine, target, threads and cache mode. A record without a time or
  // a noisy one is never among them.
  std::optional<int64_t> beyond_rank{};
};

struct Pruned {
  int64_t records = 0;      // removed, or to be removed
  int64_t kept = 0;         // remaining
  int64_t freed_bytes = 0;  // 0 for a rehearsal
};

// Never removes a record that a build may choose or that decided a choice. These are the best of each workload,
// machine, target, threads and cache mode, every record of finals, and every record of a candidate in finals. The last
// record to arrive stays too, so that the order of arrival goes on. `rehearse`: only counts. Throws Error: those of
// RecordStore::Open.
Pruned PruneStore(const std::string& path, const PrunePolicy& policy, bool rehearse);

}  // namespace hone
