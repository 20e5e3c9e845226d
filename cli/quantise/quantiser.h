// One float model's quantisation: ranges are measured once, and models are written as often as a search asks.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/quantise/calibration_split.h"
#include "cli/quantise/network_error.h"
#include "cli/quantise/value_statistics.h"
#include "compiler/frontend/quantise/quantisation_plan.h"
#include "compiler/frontend/quantise/write_qdq.h"

namespace hone {

struct QuantiseOptions {
  std::string calibrate;  // a folder, or "random"
  int64_t samples = 8;    // that are drawn when it is random
  std::string method = "min-max";
  double percentile = 99.999;
  bool no_bias_correction = false;
  bool products = false;  // of two computed values, too
  ImageOptions images = {};
  double max_error = 0;  // of the outputs, max|y-r|/max|r|; 0: whatever it is
};

// Neither copied nor moved: its parts refer to each other.
class Quantiser {
 public:
  // Reads or draws the samples and measures ranges. Throws Error(kBadData) for a model that has no layer to quantise,
  // and what ReadCalibration throws. Borrows the options.
  Quantiser(FloatModel model, RunSettings settings, const QuantiseOptions& options, uint64_t seed);
  Quantiser(const Quantiser&) = delete;
  Quantiser& operator=(const Quantiser&) = delete;

  // All that can be quantised, in the order of the nodes.
  const std::vector<QuantisableLayer>& layers() const { return layers_; }
  const FloatModel& model() const { return model_; }
  const CalibrationSplit& samples() const { return samples_; }
  const RunSettings& settings() const { return settings_; }
  // Judges with the samples that were held out.
  const NetworkError& network() const { return network_; }

  struct Written {
    QuantisationPlan plan;
    std::string bytes;  // the ONNX model
  };
  // With the layers of these names in float.
  Written Write(const std::set<std::string>& left) const;
  // With all layers in float and a quantised copy beside each; in the order of the layers.
  LonelyLayers WriteLonely() const;
  // Per layer, what it makes when its own input is exact.
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
