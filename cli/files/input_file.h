// Files that users name, open for reading. Nobody is waited for, as opening a pipe without a writer would.
#pragma once

#include <string>

namespace hone {

class InputFile {
 public:
  enum class Kind { kRegular, kPipe };
  // The purpose: OutputGuard protects an input, and not an output that the command made before.
  enum class Use { kInput, kOwnOutput };

  // Throws Error: kNoInput when there is no such file, or it is neither a regular file nor, where `pipes_too`, a pipe;
  // kNotAuthorised when it may not be read. Of a pipe read(2) gives EAGAIN until Block().
  explicit InputFile(const std::string& path, bool pipes_too = false, Use use = Use::kInput);
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

// Throws Error(kBadData) where `path` is a file of a kind that hone never reads, with what it is and what would be
// right: packed files, archives, other frameworks' models. What is not there, no regular file or unreadable is passed
// over.
void RefuseOtherKinds(const std::string& path);

}  // namespace hone
