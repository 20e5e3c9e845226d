// Names for stores that are still being made.
#pragma once

#include <string>

namespace hone {

// Makes an empty file beside `path`, readable as the umask says, and returns its path: `path` with letters behind it
// that nobody can guess, so that it is no file and no link of anybody else. Throws Error(kCannotCreate).
std::string MakeFreshFile(const std::string& path);

}  // namespace hone
