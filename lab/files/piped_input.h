// A file or a pipe as a stream buffer, for contents that need not fit into memory.
#pragma once

#include <array>
#include <streambuf>
#include <string>

#include "lab/files/input_file.h"

namespace hone {

// Throws Error(kNoInput) if `path` is neither a file nor a pipe, may not be read, or is a named pipe without a writer
// for kWriterWaitSeconds. Throws Error(kIo) if reading fails, also later.
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

}  // namespace hone
