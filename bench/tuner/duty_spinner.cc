#include "bench/tuner/duty_spinner.h"

#include <sched.h>

#include <chrono>

namespace hone::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPeriod(10);

void BindTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

DutySpinner::DutySpinner(int cpu, double share) {
  thread_ = std::thread([this, cpu, busy = std::chrono::duration_cast<Clock::duration>(kPeriod * share)] {
    BindTo(cpu);
    while (!stop_) {
      for (const auto end = Clock::now() + busy; Clock::now() < end;) continue;
      std::this_thread::sleep_for(kPeriod - busy);
    }
  });
}

DutySpinner::~DutySpinner() {
  stop_ = true;
  thread_.join();
}

}  // namespace hone::bench
