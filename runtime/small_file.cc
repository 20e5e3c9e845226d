#include "runtime/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/parse_number.h"

namespace hone {

std::optional<std::string> ReadSmallFile(const std::string& path, size_t most_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string bytes;
  char piece[4096];
  ssize_t got = 0;
  do {
    got = read(file, piece, std::min(sizeof(piece), most_bytes - bytes.size()));
    if (got > 0) bytes.append(piece, static_cast<size_t>(got));
  } while (got > 0 || (got < 0 && errno == EINTR));
  close(file);
  if (got < 0) return std::nullopt;
  return bytes;
}

std::string FirstLineOf(const std::string& path) {
  const std::optional<std::string> text = ReadSmallFile(path);
  return text ? std::string(Split(*text, '\n')[0]) : "";
}

bool WriteSmallFile(const std::string& path, const std::string& bytes) {
  FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace hone
