// A file or a pipe as a stream's buffer, for what need not fit into memory.
#pragma once

#include <array>
#include <streambuf>
#include <string>

#include "cli/files/input_file.h"

namespace hone {

// Throws Error, also while it is read: kNoInput when `path` is neither a file nor a pipe, may not be read, or is a
// named pipe that nobody opens to write within kWriterWaitSeconds; kIo when reading fails.
class PipedInput : public std::streambuf {
 public:
  static constexpr int kWriterWaitSeconds = 5;

  explicit PipedInput(const std::string& path);

 private:
  int_type underflow() override;
  // The bytes that came, 0 at the end.
  size_t Fill();
  void AwaitWriter();

  std::string path_;
  InputFile file_;
  std::array<char, size_t{1} << 16> piece_;
  size_t begun_ = 0;  // bytes that came before the stream was first read
};

}  // namespace hone
