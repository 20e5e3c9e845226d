// Opens a store's file safely: it is checked before it is written.
#pragma once

#include <string>

#include "db/database.h"
#include "db/sqlite/journal_mode.h"

namespace hone {

// A connection to a store, upgraded to the present schema. Creates the file and its folder when `create`. Throws Error
// as RecordStore::Open says, and Error(kBadConfig) on a network file system. A refused file stays unchanged.
Database OpenStoreFile(const std::string& path, bool create, JournalMode mode = LinkedJournalMode());

}  // namespace hone
