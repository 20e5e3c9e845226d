// How far a quantised network is from its float model, on given inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/quantise/calibration_inputs.h"
#include "cli/quantise/value_runner.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/signal_error.h"

namespace hone {

// Borrows the model, the settings and the samples.
class NetworkError {
 public:
  // Builds the float model.
  NetworkError(const FloatModel& model, const RunSettings& settings);

  // What the model takes.
  const std::vector<InputSpec>& inputs() const { return exact_.inputs(); }
  // Runs the float model on each.
  void SetSamples(const std::vector<CalibrationSample>& samples);

  // Of each output of the model that has these bytes, which has the float model's outputs.
  std::vector<std::pair<std::string, SignalError>> OutputErrors(const std::string& quantised) const;
  // The largest max |y - r| / max |r| among them.
  double LargestError(const std::string& quantised) const;
  // Of value `made[i]` of that model against value `exact[i]` of the float model.
  std::vector<SignalError> ErrorsOf(const std::string& quantised, const std::vector<std::string>& made,
                                    const std::vector<std::string>& exact) const;

 private:
  const FloatModel& model_;
  const RunSettings& settings_;
  ValueRunner exact_;
  const std::vector<CalibrationSample>* samples_ = nullptr;
  std::vector<std::vector<Tensor>> outputs_;  // the float model's, per sample
};

}  // namespace hone
