// The programs that runners are to become: docs/protocol.md, "Upgrading runners".
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace hone {

// Not thread-safe.
class ProgramShelf {
 public:
  static constexpr size_t kMostPrograms = 4;
  static constexpr size_t kMostFileBytes = size_t{16} << 20;
  static constexpr size_t kMostSignatureBytes = size_t{4} << 10;

  // Keeps a file and its signature, in place of the oldest where it is full. The file's SHA-256. Throws
  // Error(kBadData) when they are not two parts, TooBig beyond the limits.
  std::string Put(const std::vector<std::string>& parts);
  // The two parts again; null when it is not here any more.
  const std::vector<std::string>* Find(const std::string& sha256) const;

 private:
  struct Program {
    std::string sha256;
    std::vector<std::string> parts;
  };
  std::deque<Program> programs_;
};

}  // namespace hone
