// Names for files that are not finished.
#pragma once

#include <string>

namespace hone {

// Stands between a file's path and the letters of a FreshName.
inline constexpr const char* kUnfinishedMark = ".part-";

// A path beside `path` that nobody can guess: PATH.part-1a2b3c4d. Opened with O_CREAT, O_EXCL and O_NOFOLLOW it is no
// file and no link of another user. "" when the system gives no random bytes. Thread-safe.
std::string FreshName(const std::string& path);

}  // namespace hone
