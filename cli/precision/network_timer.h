// What built networks take.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cli/machine_options.h"
#include "compiler/build.h"

namespace hone {

struct NetworkTime {
  int64_t ns = 0;                // of one run
  std::vector<int64_t> call_ns;  // of each of the plan's calls
};

class NetworkTimer {
 public:
  virtual ~NetworkTimer() = default;
  // In the order of the networks; of several they can be compared.
  virtual std::vector<NetworkTime> Time(const std::vector<const BuildResult*>& networks) = 0;
  // Whether the times were taken on the machine; else they are estimates.
  virtual bool measures() const = 0;
};

// Runs them on this machine, in turns, with random inputs.
std::unique_ptr<NetworkTimer> MakeLocalTimer(int threads);
// Adds up what is expected of each call (ExpectedNs).
std::unique_ptr<NetworkTimer> MakeEstimatingTimer();
// The one that the machine allows.
std::unique_ptr<NetworkTimer> MakeNetworkTimer(const Machine& machine);

}  // namespace hone
