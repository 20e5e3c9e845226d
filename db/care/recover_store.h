// A new store out of what is left of a damaged one.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

struct Recovered {
  int64_t records = 0, foreign = 0, runs = 0;
};

// Makes the store `to` of every record, foreign trial and run that can still be read in the file `from`: first as
// SQLite reads a copy of it, from both ends of each table, then page by page. Every record and trial proves itself by
// its id, so that nothing false comes along. `from` is never opened to be written. Throws Error: kNoInput (no `from`),
// kCannotCreate (`to` is there), kIo. When it throws there is no `to`.
Recovered RecoverStore(const std::string& from, const std::string& to);

}  // namespace hone
