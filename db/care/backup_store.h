// A copy of a store while others write to it.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Writes the store `path`, as it is at one moment and without free pages, to the new file `to`, durably. Returns its
// bytes. Throws Error: what RecordStore::Open throws, kCannotCreate (`to` is there, or cannot be made), kIo. When it
// throws there is no `to`.
int64_t BackupStore(const std::string& path, const std::string& to);

}  // namespace hone
