// Decides when the runs before the timed ones may end.
#pragma once

#include <array>
#include <cstdint>

namespace hone {

// A package's first runs take longer: pages are touched for the first time, caches are cold, clocks rise. Add() reports
// each run. The warm-up is over after `most_ns`, or after `least_ns` once runs do not become faster. They do not when
// the least of the last five is at most 2 % below the least of the five before.
class WarmUp {
 public:
  WarmUp(int64_t least_ns, int64_t most_ns) : least_ns_(least_ns), most_ns_(most_ns) {}
  void Add(int64_t run_ns);
  bool over() const { return settled() || spent_ns_ >= most_ns_; }
  bool settled() const;
  // The least of the runs so far, which is the least disturbed; 0 before the first.
  int64_t run_ns() const { return runs_ > 0 ? least_run_ns_ : 0; }

 private:
  static constexpr int64_t kWindow = 5;

  const int64_t least_ns_, most_ns_;
  int64_t spent_ns_ = 0, runs_ = 0, least_run_ns_ = 0;
  std::array<int64_t, 2 * kWindow> last_{};  // run i at i modulo its size
};

}  // namespace hone
