// Which journal keeps a store safe under the SQLite that is linked.
#pragma once

#include <string>

namespace hone {

enum class JournalMode { kTruncate, kWal };

// kWal where `sqlite_version` (as sqlite3_libversion_number gives it: 3040001) is free of the defect that damages WAL
// databases under concurrent checkpoints, else kTruncate. docs/formats.md lists the versions.
JournalMode JournalModeFor(int sqlite_version);
// For the SQLite that runs, whatever the headers were.
JournalMode LinkedJournalMode();
// "3.40.1"
std::string LinkedSqliteVersion();

}  // namespace hone
