// File systems on which a SQLite file cannot be trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hone {

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

}  // namespace hone
