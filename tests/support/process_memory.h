// The memory that a process can read, as another process reads it.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A range of addresses with its line of /proc/PID/maps.
struct MemoryPiece {
  std::string line;
  std::string bytes;
};

// All the memory that the process can read and this process may read of it. Empty when it may read none or there is no
// such process. Memory that changes meanwhile may be from before or after.
std::vector<MemoryPiece> ReadableMemory(pid_t process);

// The lines of the pieces in which any of the needles occurs.
std::vector<std::string> PlacesOf(const std::vector<MemoryPiece>& memory, std::span<const std::string_view> needles);

}  // namespace hone
