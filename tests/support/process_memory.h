// The memory that a process could read of its own, as another one reads it.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A stretch of addresses with its line of /proc/PID/maps.
struct MemoryPiece {
  std::string line;
  std::string bytes;
};

// All that the process can read of its memory, as far as this one may: none when it may not, or there is no such
// process. What changes meanwhile may be from before or after.
std::vector<MemoryPiece> ReadableMemory(pid_t process);

// The lines of the pieces in which any of the needles occurs.
std::vector<std::string> PlacesOf(const std::vector<MemoryPiece>& memory, std::span<const std::string_view> needles);

}  // namespace hone
