// Names for stores that are still being made.
#pragma once

#include <string>

namespace hone {

// Makes an empty file beside `path`, readable as the umask says, and returns its path: a FreshName, so
// that it is no file and no link of another user. Throws Error(kCannotCreate).
std::string MakeFreshFile(const std::string& path);

}  // namespace hone
