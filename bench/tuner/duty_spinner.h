// A noisy neighbour, made to measure.
#pragma once

#include <atomic>
#include <thread>

namespace hone::bench {

// Keeps one CPU busy for a share of the time, in slices of 3 ms of every 10 ms for 0.3, until it is destroyed.
class DutySpinner {
 public:
  DutySpinner(int cpu, double share);
  ~DutySpinner();
  DutySpinner(const DutySpinner&) = delete;
  DutySpinner& operator=(const DutySpinner&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace hone::bench
