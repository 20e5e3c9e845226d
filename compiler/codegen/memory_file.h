// Bytes in memory that LLVM's tools can read by a path.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// A file of its own under /proc/self/fd, gone with the object. Throws Error(kIo) when there is no memory.
class MemoryFile {
 public:
  // `name` is for whoever looks at the process.
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const;
  // Behind what was written before.
  void Write(std::string_view bytes) const;

 private:
  int fd_;
};

}  // namespace hone
