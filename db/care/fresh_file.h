// Names for stores that are not finished.
#pragma once

#include <string>

namespace hone {

// Makes an empty file beside `path`, with permissions as the umask says, and returns its path. The path is a
// FreshName, so it cannot be another user's file or link. Throws Error(kCannotCreate).
std::string MakeFreshFile(const std::string& path);

}  // namespace hone
