// A World that a runner's thread watches while the test advances its time.
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
  // The runner's thread calls `at_golden` at each run of the golden kernel.
  explicit WatchedDevice(std::function<void()> at_golden) : at_golden_(std::move(at_golden)) {
    world_.golden = [this] { return std::vector<int64_t>{arithmetic_ns_, 2000, 3000}; };
  }

  // The probes of a device that has worked for three minutes and knows its usual times.
  DeviceProbes Probes() {
    DeviceProbes probes;
    probes.watch = [this](const HealthOptions& options, const Environment&) {
      HealthWatch watch(options, kThreeParts, kSomeDevice, "1-avx2", Locked(world_.Sources()));
      while (watch.state() == HealthState::kLearning) {
        Pass(2'000'000'000);
        watch.RunCheck();
      }
      return watch;
    };
    probes.roofs = [](const HealthOptions&, const Environment&) { return std::vector<Roof>{{"", 1, 100, 20}}; };
    return probes;
  }
  void Pass(int64_t ns) {
    const std::lock_guard lock(mutex_);
    world_.now_ns += ns;
  }
  // The usual time is 1000.
  void TakeForArithmetic(int64_t ns) {
    const std::lock_guard lock(mutex_);
    arithmetic_ns_ = ns;
  }
  // From here on its measurements are another machine's.
  void MoveTo(const std::string& machine) {
    const std::lock_guard lock(mutex_);
    world_.machine = machine;
  }
  // The number of finished looks.
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
    // After its golden times, a look reads the clock once more, and the next look is counted from there. Only then does
    // the test count it as finished: time that passed earlier would be lost.
    sources.clock = Lock([this, clock = bare.clock] {
      looks_ += ending_ ? 1 : 0;
      ending_ = false;
      return clock();
    });
    sources.run_golden = Lock([this, run = bare.run_golden] {
      at_golden_();
      return run();
    });
    // Read once per look, after its golden times.
    sources.ticks = Lock([this, ticks = bare.ticks] {
      ending_ = true;
      return ticks();
    });
    sources.machine = Lock(bare.machine);
    sources.log = Lock(bare.log);
    return sources;
  }

  const std::function<void()> at_golden_;
  mutable std::mutex mutex_;
  World world_;
  int64_t arithmetic_ns_ = 1000;
  int looks_ = 0;
  bool ending_ = false;  // whether the current look has its golden times
};

}  // namespace hone
