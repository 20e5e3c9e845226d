// Times built networks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/quantise/signal_error.h"
#include "compiler/relay/expr.h"
#include "lab/machine/machine.h"
#include "lab/quantise/calibration_inputs.h"

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

// The outputs of each sample. Throws Error as Package::FromBytes does.
std::vector<std::vector<Tensor>> RunPackage(const std::string& package, const std::vector<CalibrationSample>& samples,
                                            int threads);

// The outputs of a typed model by the reference, whose sums are in float64. Throws Error as RunReference does.
std::vector<std::vector<Tensor>> ReferenceOutputs(const relay::IRModule& module,
                                                  const std::vector<CalibrationSample>& samples);

// The largest max |y - r| / max |r| of all outputs, each over all samples. An output that is not finite is an infinite
// error.
double LargestError(const std::vector<std::vector<Tensor>>& made, const std::vector<std::vector<Tensor>>& reference);

}  // namespace hone
