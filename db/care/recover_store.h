// Makes a new store from the readable rest of a damaged one.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct Recovered {
  int64_t records = 0, foreign = 0, runs = 0;
};

// Makes the store `to` of every record, foreign trial and run that can still be read in the file `from`. It reads a
// copy with SQLite, from both ends of each table, then page by page. Every record and trial is proved by its id, so
// that nothing false is taken. `from` is never opened for writing. Throws Error: kNoInput (no `from`), kCannotCreate
// (`to` exists), kIo. When it throws there is no `to`.
Recovered RecoverStore(const std::string& from, const std::string& to);

}  // namespace hone
