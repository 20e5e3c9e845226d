// A model's file, open for reading.
#pragma once

#include <string>

namespace hone {

// Closes its descriptor.
class OpenFile {
 public:
  // Throws Error, kNotAuthorised if the file may not be read and else kNoInput, if it cannot be opened or is not a
  // file.
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace hone
