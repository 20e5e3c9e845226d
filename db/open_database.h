// Opens a store with the engine that `--db` implies.
#pragma once

#include <string>

#include "db/database.h"

namespace hone {

// Whether the store is on a server, not in a file: postgresql://...
bool IsServerStore(const std::string& where);

// A connection to the store, upgraded to the present schema. Throws as RecordStore::Open says.
Database OpenDatabase(const std::string& where, bool create);

}  // namespace hone
