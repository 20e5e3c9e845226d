// Runs a package on this machine, or a model by the reference, sample by sample.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantise/signal_error.h"
#include "compiler/relay/expr.h"
#include "lab/quantise/calibration_inputs.h"

namespace hone {

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
