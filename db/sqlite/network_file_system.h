// File systems on which a SQLite file cannot be trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hone {

// The type of the file system that a path lies on, as statfs(2) names it; 0 where it cannot be told.
using FileSystemType = std::function<int64_t(const std::string& path)>;
int64_t StatfsType(const std::string& path);

// The name of a network file system by its type; null for every other. SQLite's locks do not hold between its hosts
// (SQLite, "How To Corrupt An SQLite Database File", section 2.1). What FUSE mounts is not told apart and counts as
// local.
const char* NetworkFileSystemName(int64_t type);

// Throws Error(kBadConfig) where the store at `path`, or its folder while there is none, lies on one, unless
// HONE_NETWORK_STORE is 1.
void RefuseNetworkFileSystem(const std::string& path, const FileSystemType& type_of = StatfsType);

}  // namespace hone
