#include "tests/support/process_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>

namespace hone {
namespace {

// The largest piece that is read, because a reservation may be much larger.
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

std::string BytesAt(int memory, uint64_t begin, uint64_t end) {
  std::string bytes(std::min(end - begin, kMostBytes), '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = pread64(memory, bytes.data() + got, bytes.size() - got, static_cast<off64_t>(begin + got));
    if (n <= 0) break;
    got += static_cast<size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

std::vector<MemoryPiece> ReadableMemory(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  const int memory = open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  std::vector<MemoryPiece> pieces;
  if (memory < 0) return pieces;
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    char readable = '-';
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %c", &begin, &end, &readable) != 3 || readable != 'r') {
      continue;
    }
    pieces.push_back({line, BytesAt(memory, begin, end)});
  }
  close(memory);
  return pieces;
}

std::vector<std::string> PlacesOf(const std::vector<MemoryPiece>& memory, std::span<const std::string_view> needles) {
  std::vector<std::string> lines;
  for (const MemoryPiece& piece : memory) {
    const auto occurs = [&](std::string_view needle) { return piece.bytes.find(needle) != std::string::npos; };
    if (std::any_of(needles.begin(), needles.end(), occurs)) lines.push_back(piece.line);
  }
  return lines;
}

}  // namespace hone
