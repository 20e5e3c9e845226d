// Reads lines from a stream of any content.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace hone {

// Reads one line at a time in bounded memory. Skips empty lines and a byte order mark at the beginning. The end of a
// line (LF or CRLF) is not part of it, and the last line need not have one.
class LineReader {
 public:
  // `in` must outlive the reader.
  explicit LineReader(std::istream& in, size_t max_bytes = size_t{16} << 20) : in_(in), max_bytes_(max_bytes) {}
  // False at the end of the stream.
  bool Next();
  // Cut to max_bytes if too_long().
  const std::string& line() const { return line_; }
  bool too_long() const { return too_long_; }
  int64_t number() const { return number_; }  // from 1

 private:
  bool ReadLine();

  std::istream& in_;
  size_t max_bytes_;
  std::string line_;
  bool too_long_ = false;
  int64_t number_ = 0;
};

}  // namespace hone
