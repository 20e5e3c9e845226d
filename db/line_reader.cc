#include "db/line_reader.h"

namespace hone {

bool LineReader::ReadLine() {
  constexpr int kEnd = std::char_traits<char>::eof();
  std::streambuf& buffer = *in_.rdbuf();
  line_.clear();
  too_long_ = false;
  int c = buffer.sbumpc();
  if (c == kEnd) return false;
  ++number_;
  for (; c != kEnd && c != '\n'; c = buffer.sbumpc()) {
    too_long_ = too_long_ || line_.size() == max_bytes_;
    if (!too_long_) line_.push_back(static_cast<char>(c));
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  if (number_ == 1 && line_.rfind("\xEF\xBB\xBF", 0) == 0) line_.erase(0, 3);
  return true;
}

bool LineReader::Next() {
  while (ReadLine()) {
    if (!line_.empty()) return true;
  }
  return false;
}

}  // namespace hone
