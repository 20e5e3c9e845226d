// Runs a float model on calibration inputs and takes statistics of its values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/range_method.h"
#include "core/build_context.h"
#include "lab/model/inputs.h"
#include "lab/quantise/calibration_inputs.h"
#include "runtime/session.h"

namespace hone {

// Runs a model on this machine to observe any of its values.

// Settings for importing a model's bytes, and the context in which it runs.
struct RunSettings {
  OnnxImportOptions import;
  BuildContext context;
  std::string name;  // the model's, for messages
};

// A package that computes the values of these names, in that order. Not thread-safe.
class ValueRunner {
 public:
  // Builds the package. `model` is the ONNX model's bytes. Throws Error(kBadData) if hone cannot run it.
  ValueRunner(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings);

  std::vector<Tensor> Run(const std::map<std::string, Tensor>& inputs);
  const std::vector<InputSpec>& inputs() const { return specs_; }

 private:
  std::vector<std::string> values_;
  std::vector<InputSpec> specs_;  // of the model
  std::vector<int> at_;           // per value its index in the session's outputs; -1: it is an input
  std::unique_ptr<Session> session_;
};

// Splits the values, in their order, into groups of at most `most_bytes` at once, or of one value.
std::vector<std::vector<std::string>> GroupValues(const std::string& model, const std::vector<std::string>& values,
                                                  const RunSettings& settings, int64_t most_bytes);

struct StatisticsOptions {
  RangeMethod method = RangeMethod::kMinMax;
  double percentile = 99.999;
};

struct ValueStatistics {
  std::map<std::string, ValueRange> ranges;          // chosen by the method
  std::map<std::string, std::vector<double>> means;  // per channel, of the values in channel_axes
};

// Ranges of `values`, and means of those in `channel_axes` along that axis (-1: the last). Values are computed in
// groups of kMostValueBytes. For each group the model runs once per sample, or twice if the method needs histograms.
// Throws Error(kBadData), naming value and sample, if a value is not finite.
ValueStatistics Measure(const FloatModel& model, const std::vector<std::string>& values,
                        const std::map<std::string, int64_t>& channel_axes,
                        const std::vector<CalibrationSample>& samples, const StatisticsOptions& options,
                        const RunSettings& settings);

// Limit for the bytes of values computed at once.
inline constexpr int64_t kMostValueBytes = int64_t{1} << 30;

}  // namespace hone
