// Taking out of a store what blames candidates for the trouble of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace hone {

struct Healed {
  int64_t records = 0;                    // that went, or would go
  int64_t kept = 0;                       // that stay
  std::map<std::string, int64_t> causes;  // how many records went by their message
};

// Takes out the records whose message shows that the machine failed and not the candidate (BlamesForMachine,
// core/failure.h), of trials and finals alike; no other record is touched. Other tuners may use the store meanwhile:
// the newest record that stays takes the place of the last that came, so that what they ask for next is what comes
// next. `rehearse`: only counts. Throws Error: what RecordStore::Open throws.
Healed HealStore(const std::string& path, bool rehearse);

}  // namespace hone
