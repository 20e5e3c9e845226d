// Copies a store while others write to it.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Writes the store `path`, as it is at one moment and without free pages, durably to the new file `to`. Returns its
// size in bytes. Throws Error: those of RecordStore::Open, kCannotCreate (`to` exists, or cannot be made), kIo. When
// it throws there is no `to`.
int64_t BackupStore(const std::string& path, const std::string& to);

}  // namespace hone
