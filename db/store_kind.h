// Which files belong to a record store, told without opening it.
#pragma once

#include <array>
#include <string>

namespace hone {

// What lies beside a store's file while it is used, by what its name ends with.
inline constexpr std::array<const char*, 4> kBesideStore = {"-wal", "-shm", "-journal", ".claims"};

// What the file at `path` is, as "a record store": a store or another SQLite database, whatever its name, or a file
// beside one; of a file that may not be read, that. Empty for every other, and where nothing is. Reads the first bytes
// alone and locks nothing.
std::string StoreKind(const std::string& path);

}  // namespace hone
