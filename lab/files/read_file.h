// Finds, opens and reads the files that users name.
#pragma once

#include <array>
#include <streambuf>
#include <string>

namespace hone {

// Follows `path` while it is a symbolic link, also if the end does not exist yet. Folders above it stay as written.
std::string ResolvedPath(const std::string& path);

// One text for every spelling of a path: absolute, without links and dots as far as its folders exist.
std::string CanonicalPath(const std::string& path);

// A file that a user names, open for reading. Opening never waits, as it would for a pipe without a writer.
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

// A file or a pipe as a stream buffer, for contents that need not fit into memory. Throws Error(kNoInput) if `path` is
// neither a file nor a pipe, may not be read, or is a named pipe without a writer for kWriterWaitSeconds. Throws
// Error(kIo) if reading fails, also later.
class PipedInput : public std::streambuf {
 public:
  static constexpr int kWriterWaitSeconds = 5;

  explicit PipedInput(const std::string& path);

 private:
  int_type underflow() override;
  // Returns the number of bytes read; 0 at the end.
  size_t Fill();
  void AwaitWriter();

  std::string path_;
  InputFile file_;
  std::array<char, size_t{1} << 16> piece_;
  size_t begun_ = 0;  // bytes that came before the stream's first read
};

// Throws Error(kBadData) if `path` is a file of a kind that hone never reads: packed files, archives, other frameworks'
// models. The message says what it is and what would be right. Missing, unreadable and other than regular files are
// ignored.
void RefuseOtherKinds(const std::string& path);

// Whether the path exists. False if the system cannot look it up, as with a name that is too long. Throws
// Error(kNotAuthorised) if a folder on the way may not be entered, because then the answer is unknown.
bool IsThere(const std::string& path);

// Reads a whole regular file into memory. Throws Error(kNoInput) if there is no such file or it is something else (a
// folder, a pipe, a device). Throws Error: kNotAuthorised if it may not be read; kIo if reading fails.
std::string ReadFile(const std::string& path, InputFile::Use use = InputFile::Use::kInput);

// SHA-256 of a regular file in 64 hex digits, computed without a copy in memory. Empty if there is no file. Throws
// Error as ReadFile does.
std::string Sha256OfFile(const std::string& path);

}  // namespace hone
