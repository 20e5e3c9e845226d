// Recognises files that no output replaces: those of record stores, and secret keys.
#pragma once

#include <array>
#include <string>

namespace hone {

// Suffixes of the files that lie beside a store's file while it is in use.
inline constexpr std::array<const char*, 4> kBesideStore = {"-wal", "-shm", "-journal", ".claims"};

// The kind of the file at `path`, such as "a record store". It is a store or another SQLite database of any name, a
// file beside one, a secret key, or an unreadable file. Empty for every other file, and if there is none. Reads only
// the first bytes and locks nothing.
std::string KindThatIsNeverReplaced(const std::string& path);

}  // namespace hone
