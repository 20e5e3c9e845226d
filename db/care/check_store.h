// Checks the integrity of a store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

struct StoreCheck {
  int64_t records = 0, foreign = 0;  // number of those checked
  int64_t to_heal = 0;               // records that blame a candidate for the machine's failure (heal_store.h)
  std::vector<std::string>
      problems;  // a line each: at most kMostProblems, then the number of further ones; empty if there are none
};
inline constexpr size_t kMostProblems = 50;

// Checks every page and index of a file (SQLite's integrity check; a server's pages are pg_amcheck's), every record
// and every foreign trial. A record's id must be its content's, and the keys that queries use must be its fields. An
// older store is upgraded first. Damage is a problem, not an error. Throws Error: kNoInput, kIo.
StoreCheck CheckStore(const std::string& path);

}  // namespace hone
