// A seeded model of golden times on a machine with other users.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "rpc_runner/health/golden_kernel.h"
#include "rpc_runner/health/health_judge.h"

namespace hone {

inline const std::vector<GoldenPart> kThreeParts = {{"arithmetic", true}, {"cache", false}, {"memory", false}};

// Modelled on a recorded shared virtual machine: a floor that repeats to 0.1 %, with busy neighbours. Each neighbour
// stays for half a minute on average, and adds 0.5 to 60 % to most runs that it disturbs.
class GoldenNoise {
 public:
  explicit GoldenNoise(uint64_t seed) : random_(seed) {}

  // The times of one run at `at_ns` on a device slowed down by the factor `slowdown` (1: not at all).
  std::vector<int64_t> Run(int64_t at_ns, double slowdown) {
    while (at_ns >= change_ns_) {
      busy_ = !busy_;
      const double mean_s = busy_ ? 30 : 90;
      change_ns_ += static_cast<int64_t>(1e9 * mean_s * (0.2 + 1.6 * random_.Uniform()));
    }
    const auto part = [&](double floor_ns, double hit) {
      const bool is_hit = busy_ && random_.Uniform() < hit;
      const double extra = is_hit ? 0.005 + 0.6 * random_.Uniform() * random_.Uniform() : 0;
      return static_cast<int64_t>(slowdown * floor_ns * (1 + extra + 0.001 * random_.Uniform()));
    };
    return {part(370'400, 0.5), part(336'000, 0.9), part(190'000 * (1 + 0.04 * random_.Uniform()), 0.9)};
  }
  // The hypervisor steals more time while a neighbour is busy.
  double Steal() { return busy_ ? 0.06 * random_.Uniform() : 0; }

 private:
  Random random_;
  bool busy_ = true;
  int64_t change_ns_ = 0;
};

}  // namespace hone
