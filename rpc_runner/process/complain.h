// Lines to stderr about what others do: however much they do, they fill no disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// So many events in a window of time pass, and the others are counted. Not thread-safe.
class EventLimit {
 public:
  EventLimit(int64_t most, int64_t window_ns) : most_(most), window_ns_(window_ns) {}
  // Whether one passes at this time. *left_out becomes how many did not since the last one that did.
  bool Passes(int64_t now_ns, int64_t* left_out);

 private:
  const int64_t most_;
  const int64_t window_ns_;
  int64_t begin_ns_ = INT64_MIN;
  int64_t passed_ = 0;
  int64_t left_out_ = 0;
};

// Writes ErrorLine(program, text) to stderr. In a minute at most 20 such lines come from this process; of the others
// the number is told with the next one. Thread-safe.
void Complain(std::string_view program, const std::string& text);

}  // namespace hone
