// Names for files that are not finished.
#pragma once

#include <string>

namespace hone {

// Separates a file's path from the random letters of a FreshName.
inline constexpr const char* kUnfinishedMark = ".part-";

// An unpredictable path beside `path`, such as PATH.part-1a2b3c4d. Opened with O_CREAT, O_EXCL and O_NOFOLLOW it
// cannot be another user's file or link. Returns "" when the system provides no random bytes. Thread-safe.
std::string FreshName(const std::string& path);

}  // namespace hone
