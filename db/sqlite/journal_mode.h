// Which journal keeps a store safe under the SQLite that is linked.
#pragma once

#include <string>

namespace hone {

// kPersist: a journal whose head is zeroed at each commit, so that its file keeps its size and a commit need not wait
// for the file system to note a new one.
enum class JournalMode { kPersist, kWal };

// kWal where `sqlite_version` (as sqlite3_libversion_number gives it: 3040001) is free of the defect that damages WAL
// databases under concurrent checkpoints, else kPersist. docs/formats.md lists the versions.
JournalMode JournalModeFor(int sqlite_version);
// For the SQLite that runs, whatever the headers were.
JournalMode LinkedJournalMode();
// "3.40.1"
std::string LinkedSqliteVersion();

}  // namespace hone
