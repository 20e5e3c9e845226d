// A World that a runner's thread watches while the test lets time pass in it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/health/health_watch.h"
#include "tests/rpc_runner/health_world.h"

namespace hone {

class WatchedDevice {
 public:
  // `at_golden` is called by the runner's thread at each run of the golden kernel.
  explicit WatchedDevice(std::function<void()> at_golden) : at_golden_(std::move(at_golden)) {
    world_.golden = [this] { return std::vector<int64_t>{arithmetic_ns_, 2000, 3000}; };
  }

  // Of a device that has worked for three minutes and knows what is usual.
  DeviceSenses Senses() {
    DeviceSenses senses;
    senses.watch = [this](const HealthOptions& options, const Environment&) {
      HealthWatch watch(options, kThreeParts, kSomeDevice, "1-avx2", Locked(world_.Sources()));
      while (watch.state() == HealthState::kLearning) {
        Pass(2'000'000'000);
        watch.Look();
      }
      return watch;
    };
    senses.roofs = [](const HealthOptions&, const Environment&) { return std::vector<Roof>{{"", 1, 100, 20}}; };
    return senses;
  }
  void Pass(int64_t ns) {
    const std::lock_guard lock(mutex_);
    world_.now_ns += ns;
  }
  // 1000 is usual.
  void TakeForArithmetic(int64_t ns) {
    const std::lock_guard lock(mutex_);
    arithmetic_ns_ = ns;
  }
  // Whatever it measures from now on, it is another machine's.
  void MoveTo(const std::string& machine) {
    const std::lock_guard lock(mutex_);
    world_.machine = machine;
  }
  // How often the watch has looked.
  int looks() const {
    const std::lock_guard lock(mutex_);
    return looks_;
  }
  std::vector<std::string> complaints() const {
    const std::lock_guard lock(mutex_);
    return world_.complaints;
  }

 private:
  template <typename Call>
  auto Lock(Call call) {
    return [this, call](const auto&... arguments) {
      const std::lock_guard lock(mutex_);
      return call(arguments...);
    };
  }
  HealthSources Locked(const HealthSources& bare) {
    HealthSources sources;
    // A look that has its golden times asks for the time once more, from which the next one is counted. Only then is it
    // over for the test: time that passed before would be lost.
    sources.clock = Lock([this, clock = bare.clock] {
      looks_ += ending_ ? 1 : 0;
      ending_ = false;
      return clock();
    });
    sources.run_golden = Lock([this, run = bare.run_golden] {
      at_golden_();
      return run();
    });
    // Asked once a look, when its golden times are there.
    sources.ticks = Lock([this, ticks = bare.ticks] {
      ending_ = true;
      return ticks();
    });
    sources.machine = Lock(bare.machine);
    sources.complain = Lock(bare.complain);
    return sources;
  }

  const std::function<void()> at_golden_;
  mutable std::mutex mutex_;
  World world_;
  int64_t arithmetic_ns_ = 1000;
  int looks_ = 0;
  bool ending_ = false;  // a look has its golden times
};

}  // namespace hone
