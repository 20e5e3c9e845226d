// Files that are read or written whole: what the system tells under /proc and /sys, and small ones of our own. Not by
// streams: those would bring the whole of the standard library's locales into a program that is linked statically.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace hone {

constexpr size_t kMostSmallFileBytes = size_t{64} << 20;

// The file's first `most_bytes` bytes; nullopt when it cannot be opened or read. Never waits for a pipe's writer.
std::optional<std::string> ReadSmallFile(const std::string& path, size_t most_bytes = kMostSmallFileBytes);

// Its first line without the line's end; empty when it cannot be read.
std::string FirstLineOf(const std::string& path);

// Makes or replaces the file whole: who reads it sees the old bytes or these, and nobody's link is followed on the way.
// What is no regular file (a device, a pipe) is written into. False, with errno's reason, when it was not written: what
// was there stays.
bool ReplaceSmallFile(const std::string& path, const std::string& bytes);

}  // namespace hone
