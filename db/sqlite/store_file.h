// Opens a store's file safely: its place, its journal and its content are checked before it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db/database.h"

namespace hone {

// The journal that keeps a store safe. kPersist zeroes the journal's head at each commit. Its file keeps its size, so a
// commit need not wait for the file system to record a new size.
enum class JournalMode { kPersist, kWal };

// kWal if this version is free of the defect that damages WAL databases under concurrent checkpoints, else kPersist.
// `sqlite_version` has the form of sqlite3_libversion_number: 3040001. docs/reference/formats.md lists the versions.
JournalMode JournalModeFor(int sqlite_version);
// The mode for the SQLite library at run time, whatever the headers were.
JournalMode LinkedJournalMode();
// "3.40.1"
std::string LinkedSqliteVersion();

// The type of the file system that holds a path, as a number of statfs(2); 0 if it cannot be determined.
using FileSystemType = std::function<int64_t(const std::string& path)>;
int64_t StatfsType(const std::string& path);

// The name of a network file system by its type; null for every other. SQLite's locks do not hold between its hosts
// (SQLite, "How To Corrupt An SQLite Database File", section 2.1). File systems under FUSE are not distinguished and
// count as local.
const char* NetworkFileSystemName(int64_t type);

// Throws Error(kBadConfig) if the store at `path` is on a network file system, unless HONE_NETWORK_STORE is 1. While
// there is no store, its folder decides.
void RefuseNetworkFileSystem(const std::string& path, const FileSystemType& type_of = StatfsType);

// A connection to a store, upgraded to the present schema. Creates the file and its folder when `create`. Throws Error
// as RecordStore::Open says, and Error(kBadConfig) on a network file system. A refused file stays unchanged.
Database OpenStoreFile(const std::string& path, bool create, JournalMode mode = LinkedJournalMode());

}  // namespace hone
