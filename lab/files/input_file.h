// Files that users name, opened for reading. Opening never waits, as it would for a pipe without a writer.
#pragma once

#include <string>

namespace hone {

class InputFile {
 public:
  enum class Kind { kRegular, kPipe };
  // The purpose of reading: OutputGuard protects inputs, but not outputs that the command has made.
  enum class Use { kInput, kOwnOutput };

  // Throws Error(kNoInput) if there is no such file, or if it is neither a regular file nor, with `pipes_too`, a pipe.
  // Throws Error(kNotAuthorised) if it may not be read. On a pipe read(2) gives EAGAIN until Block().
  explicit InputFile(const std::string& path, bool pipes_too = false, Use use = Use::kInput);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int fd() const { return fd_; }
  Kind kind() const { return kind_; }
  // Makes reads of a pipe wait.
  void Block();

 private:
  int fd_;
  Kind kind_ = Kind::kRegular;
};

// Throws Error(kBadData) if `path` is a file of a kind that hone never reads: packed files, archives, other frameworks'
// models. The message says what it is and what would be right. Missing, unreadable and other than regular files are
// ignored.
void RefuseOtherKinds(const std::string& path);

}  // namespace hone
