// The record store that --db names.
#pragma once

#include <memory>
#include <string>

#include "db/record_store.h"

namespace hone {

// The path, or the default store's if it is empty.
std::string StorePath(const std::string& path);
// Opens a store for writing, and creates it if it does not exist.
std::unique_ptr<RecordStore> OpenStore(const std::string& path);
// Opens a store for reading. Null if no path was given and the default store does not exist; if HONE_DB names it, a
// warning is printed once. Throws Error(kNoInput) if a path was given and does not exist.
std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path);
// The path as StorePath gives it. Throws Error(kNoInput) if the store does not exist.
std::string ExistingStorePath(const std::string& path);
// Opens a store for reading. Throws Error(kNoInput) if it does not exist.
std::unique_ptr<RecordStore> OpenExistingStore(const std::string& path);

}  // namespace hone
