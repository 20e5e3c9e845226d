#include "db/sqlite/journal_mode.h"

#include <sqlite3.h>

namespace hone {

JournalMode JournalModeFor(int sqlite_version) {
  constexpr int kWithdrawn = 3'052'000;
  const bool mended = (sqlite_version >= 3'051'003 && sqlite_version != kWithdrawn) ||
                      (sqlite_version >= 3'050'007 && sqlite_version < 3'051'000) ||
                      (sqlite_version >= 3'044'006 && sqlite_version < 3'045'000);
  return mended ? JournalMode::kWal : JournalMode::kPersist;
}

JournalMode LinkedJournalMode() { return JournalModeFor(sqlite3_libversion_number()); }

std::string LinkedSqliteVersion() { return sqlite3_libversion(); }

}  // namespace hone
