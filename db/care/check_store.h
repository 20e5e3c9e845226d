// Whether a store is what it should be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct StoreCheck {
  int64_t records = 0, foreign = 0;   // that were looked at
  int64_t to_heal = 0;                // records that blame a candidate for the machine's trouble (heal_store.h)
  std::vector<std::string> problems;  // a line each, at most kMostProblems and how many more; empty: all is well
};
inline constexpr size_t kMostProblems = 50;

// Looks at every page and index of a file (SQLite's integrity check; a server's pages are pg_amcheck's), at every
// record (its id is its content's, and the keys that queries use are its fields) and at every foreign trial. An older
// store is brought up on the way. Damage is a problem, not an error; throws Error: kNoInput, kIo.
StoreCheck CheckStore(const std::string& path);

}  // namespace hone
