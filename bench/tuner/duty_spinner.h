// An artificial noisy neighbour.
#pragma once

#include <atomic>
#include <thread>

namespace hone::bench {

// Keeps one CPU busy for a share of the time until it is destroyed. A share of 0.3 is 3 ms of every 10 ms.
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
