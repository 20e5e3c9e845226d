// Times built networks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/build.h"
#include "lab/machine/machine.h"

namespace hone {

struct NetworkTime {
  int64_t ns = 0;                // of one run
  std::vector<int64_t> call_ns;  // time of each of the plan's calls
};

class NetworkTimer {
 public:
  virtual ~NetworkTimer() = default;
  // Times in the order of the networks; times of one call are comparable with each other.
  virtual std::vector<NetworkTime> Time(const std::vector<const BuildResult*>& networks) = 0;
  // Whether times are measured on the machine; otherwise they are estimates.
  virtual bool measures() const = 0;
};

// Runs networks on this machine, in turns, with random inputs.
std::unique_ptr<NetworkTimer> MakeLocalTimer(int threads);
// Adds up the expected time of each call (ExpectedNs).
std::unique_ptr<NetworkTimer> MakeEstimatingTimer();
// The local timer if the machine is this one, else the estimating one.
std::unique_ptr<NetworkTimer> MakeNetworkTimer(const Machine& machine);

}  // namespace hone
