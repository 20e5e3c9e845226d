// Files that users name, open for reading. Nobody is waited for, as opening a pipe without a writer would.
#pragma once

#include <string>

namespace hone {

class InputFile {
 public:
  enum class Kind { kRegular, kPipe };

  // Throws Error(kNoInput) when there is no such file, it may not be read, or it is neither a regular file nor, where
  // `pipes_too`, a pipe. Of a pipe read(2) gives EAGAIN until Block().
  explicit InputFile(const std::string& path, bool pipes_too = false);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int fd() const { return fd_; }
  Kind kind() const { return kind_; }
  // Reads of a pipe wait from here on.
  void Block();

 private:
  int fd_;
  Kind kind_ = Kind::kRegular;
};

}  // namespace hone
