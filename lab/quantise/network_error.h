// Measures the error of a quantised network against its float model, on given inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/signal_error.h"
#include "lab/quantise/calibration_inputs.h"
#include "lab/quantise/value_runner.h"

namespace hone {

// Borrows the model, the settings and the samples.
class NetworkError {
 public:
  // Builds the float model.
  NetworkError(const FloatModel& model, const RunSettings& settings);

  // The model's inputs.
  const std::vector<InputSpec>& inputs() const { return exact_.inputs(); }
  // Sets the samples and runs the float model on each.
  void SetSamples(const std::vector<CalibrationSample>& samples);

  // The error of each output of the model with these bytes. It must have the float model's outputs.
  std::vector<std::pair<std::string, SignalError>> OutputErrors(const std::string& quantised) const;
  // The largest max |y - r| / max |r| of all outputs.
  double LargestError(const std::string& quantised) const;
  // The error of each value `made[i]` of that model against the value `exact[i]` of the float model.
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
