// The programs that runners should be upgraded to: docs/reference/protocol.md, "Upgrading runners".
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace hone {

// Not thread-safe.
class ProgramStore {
 public:
  static constexpr size_t kMostPrograms = 4;
  static constexpr size_t kMostFileBytes = size_t{16} << 20;
  static constexpr size_t kMostSignatureBytes = size_t{4} << 10;

  // Keeps a file and its signature, dropping the oldest if the store is full. Returns the file's SHA-256. Throws
  // Error(kBadData) if there are not two parts, LimitExceeded beyond the limits.
  std::string Put(const std::vector<std::string>& parts);
  // Returns the two parts; null if the program was dropped.
  const std::vector<std::string>* Find(const std::string& sha256) const;

 private:
  struct Program {
    std::string sha256;
    std::vector<std::string> parts;
  };
  std::deque<Program> programs_;
};

}  // namespace hone
