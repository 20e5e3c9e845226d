// Lines out of a stream that may hold anything.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace hone {

// Reads one line at a time in bounded memory. Passes over empty lines and a byte order mark at the beginning; the end
// of a line (LF or CRLF) is not part of it. The last line need not have one.
class LineReader {
 public:
  // `in` must outlive the reader.
  explicit LineReader(std::istream& in, size_t max_bytes = size_t{16} << 20) : in_(in), max_bytes_(max_bytes) {}
  // False at the end of the stream.
  bool Next();
  // Cut after max_bytes when too_long().
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
