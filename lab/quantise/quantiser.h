// Quantises one float model: ranges are measured once, and models are written as often as a search asks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/quantise/float_model.h"
#include "compiler/frontend/quantise/quantisation_plan.h"
#include "compiler/frontend/quantise/write_qdq.h"
#include "compiler/quantise/signal_error.h"
#include "lab/quantise/calibration_inputs.h"
#include "lab/quantise/value_statistics.h"

namespace hone {

// Measures the error of a quantised network against its float model, on given inputs.
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

struct QuantiseOptions {
  std::string calibrate;  // a folder, or "random"
  int64_t samples = 8;    // number drawn if calibrate is "random"
  std::string method = "min-max";
  double percentile = 99.999;
  bool no_bias_correction = false;
  bool products = false;  // also quantise products of two computed values
  ImageOptions images = {};
  double max_error = 0;  // limit of the outputs' max|y-r|/max|r|; 0: unlimited
};

// Neither copyable nor movable, because its members refer to each other.
class Quantiser {
 public:
  // Reads or draws the samples and measures ranges. Throws Error(kBadData) for a model without a layer to quantise, and
  // what ReadCalibration throws. Borrows the options.
  Quantiser(FloatModel model, RunSettings settings, const QuantiseOptions& options, uint64_t seed);
  Quantiser(const Quantiser&) = delete;
  Quantiser& operator=(const Quantiser&) = delete;

  // All layers that can be quantised, in the order of the nodes.
  const std::vector<QuantisableLayer>& layers() const { return layers_; }
  const FloatModel& model() const { return model_; }
  const CalibrationSplit& samples() const { return samples_; }
  const RunSettings& settings() const { return settings_; }
  // Measures errors on the judging samples.
  const NetworkError& network() const { return network_; }

  struct Written {
    QuantisationPlan plan;
    std::string bytes;  // the ONNX model
  };
  // Writes the model with the layers of these names in float.
  Written Write(const std::set<std::string>& left) const;
  // Writes the model with all layers in float and a quantised copy beside each, in the order of the layers.
  LonelyLayers WriteLonely() const;
  // The error of each layer's result when its input is exact.
  std::vector<SignalError> ErrorsAlone() const;

 private:
  void MeasureValues();
  QuantisedValues ValuesOf(const QuantisationPlan& plan) const;

  FloatModel model_;
  RunSettings settings_;
  const QuantiseOptions& options_;
  std::vector<QuantisableLayer> layers_;
  NetworkError network_;
  CalibrationSplit samples_;
  ValueStatistics measured_;
};

}  // namespace hone
