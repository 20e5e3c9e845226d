// Files that are read or written whole: those under /proc and /sys, and small files of hone's own. It does not use
// streams, which would link the standard library's locales into a static program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

constexpr size_t kMostSmallFileBytes = size_t{64} << 20;

// The file's first `most_bytes` bytes; nullopt when it cannot be opened or read. Never waits for a pipe's writer.
std::optional<std::string> ReadSmallFile(const std::string& path, size_t most_bytes = kMostSmallFileBytes);

// The file's first line without the line's end; empty if it cannot be read.
std::string FirstLineOf(const std::string& path);

// Writes all bytes to a descriptor, however many writes that takes. Returns false, with the reason in errno, when some
// were not written.
bool WriteAll(int fd, std::string_view bytes);

// Makes or replaces the whole file: a reader sees the old bytes or the new ones. A file that is not regular (a device,
// a pipe) is written into, also through a link. Any other link at `path` is replaced, not followed. Returns false, with
// the reason in errno, when it was not written; the old content then stays.
bool ReplaceSmallFile(const std::string& path, const std::string& bytes);

}  // namespace hone
