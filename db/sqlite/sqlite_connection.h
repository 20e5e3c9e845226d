// SQLite as an engine of the store.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// Opens the file, creating it when `create`; falls back to reading alone where the file cannot be written. Views and
// triggers of the file are off, its schema is not trusted, a lock is awaited up to 30 s. Nothing is read or written
// yet.
Database OpenSqlite(const std::string& path, bool create);
Database SqliteInMemory();

}  // namespace hone
