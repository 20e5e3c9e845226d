// Chooses the journal that keeps a store safe under the linked SQLite.
#pragma once

#include <string>

namespace hone {

// kPersist zeroes the journal's head at each commit. Its file keeps its size, so a commit need not wait for the file
// system to record a new size.
enum class JournalMode { kPersist, kWal };

// kWal if this version is free of the defect that damages WAL databases under concurrent checkpoints, else kPersist.
// `sqlite_version` has the form of sqlite3_libversion_number: 3040001. docs/reference/formats.md lists the versions.
JournalMode JournalModeFor(int sqlite_version);
// The mode for the SQLite library at run time, whatever the headers were.
JournalMode LinkedJournalMode();
// "3.40.1"
std::string LinkedSqliteVersion();

}  // namespace hone
