// --db: where records are.
#pragma once

#include <memory>
#include <string>

#include "cli/command_line.h"
#include "db/record_store.h"

namespace hone {

// Empty: the default store (DefaultStorePath).
void AddStoreOption(CommandLine& line, std::string& path);
// The path that holds.
std::string StorePath(const std::string& path);
// To write: makes the store when it is not there.
std::unique_ptr<RecordStore> OpenStore(const std::string& path);
// To read: null when the default store is not there yet, which is told once where HONE_DB names it. Throws
// Error(kNoInput) when a path was given and nothing is there.
std::unique_ptr<RecordStore> OpenStoreIfThere(const std::string& path);
// The path that holds. Throws Error(kNoInput) when nothing is there.
std::string ExistingStorePath(const std::string& path);
// To read: throws Error(kNoInput) when nothing is there.
std::unique_ptr<RecordStore> OpenExistingStore(const std::string& path);

}  // namespace hone
