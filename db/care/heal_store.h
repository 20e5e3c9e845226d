// Removes records from a store that blame candidates for a failure of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace hone {

struct Healed {
  int64_t records = 0;                    // removed, or to be removed
  int64_t kept = 0;                       // remaining
  std::map<std::string, int64_t> causes;  // number of removed records by message
};

// Removes the records whose message shows that the machine failed and not the candidate (BlamesForMachine,
// core/failure.h), of trials and finals alike. No other record is touched. Other tuners may use the store meanwhile:
// the newest remaining record moves to the last place in the order of arrival. Their next query for later records then
// misses none. `rehearse`: only counts. Throws Error: those of RecordStore::Open.
Healed HealStore(const std::string& path, bool rehearse);

}  // namespace hone
