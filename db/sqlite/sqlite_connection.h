// SQLite as an engine of the store.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// Opens the file, creating it when `create`. Falls back to read-only access if the file cannot be written. Views and
// triggers of the file are off, its schema is not trusted, and a lock is waited for up to 30 s. Nothing is read or
// written yet.
Database OpenSqlite(const std::string& path, bool create);
Database SqliteInMemory();

}  // namespace hone
