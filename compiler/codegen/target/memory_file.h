// Bytes in memory that LLVM's tools can read by a path.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// A file of its own under /proc/self/fd, which goes away with the object. Throws Error(kIo) if memory is lacking.
class MemoryFile {
 public:
  // `name` appears in tools that list a process's open files.
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const;
  // Appends the bytes.
  void Write(std::string_view bytes) const;

 private:
  int fd_;
};

}  // namespace hone
