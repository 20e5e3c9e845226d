// The fastest network within an error budget, of those that layers of several precisions make.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "cli/precision/layer_precision.h"
#include "cli/precision/network_timer.h"
#include "cli/precision/precision_models.h"
#include "core/package_precision.h"

namespace hone {

struct LayerChoice {
  std::string layer, op;
  LayerPrecision precision = LayerPrecision::kFloat32;
  double float32_ns = 0, ns = 0;  // in the network of that precision alone; 0: not known
  double alone_db = 0;      // the signal-to-noise ratio of what it makes by itself; SignalError::kExact of float32
  double output_error = 0;  // of the outputs when it alone is not float32; 0 of float32
};

using LayerCounts = std::array<int64_t, kLayerPrecisions>;  // by LayerPrecision

struct TriedNetwork {
  std::string what;  // "float32", "bfloat16", "int8", "mixed 1"
  LayerCounts layers{};
  double error = 0;     // of the outputs on the judging samples
  double expected = 0;  // from its layers' errors; 0: not known
  bool holds = true;
  int64_t ns = 0;  // 0: not timed
  bool taken = false;
};

struct ChosenPrecision {
  PrecisionNetwork network;
  bool is_float32 = true;  // the network is the model itself
  std::vector<LayerChoice> layers;
  std::vector<TriedNetwork> tried;    // float32 first
  std::vector<std::string> left_out;  // precisions that were not tried, each with the reason
  size_t samples = 0, held_out = 0;   // as QuantisedModel's
  std::string calibrate;              // the folder, or "random"
  double max_error = -1;              // below 0: whatever it is
  bool measured = true;               // times were taken, not estimated; true where there are none
  double error() const;               // of what was taken
};

// For the manifest.
PackagePrecision PackagePrecisionOf(const ChosenPrecision& chosen);
LayerCounts CountLayers(const std::vector<LayerChoice>& layers);

// What the search asks for. `build`: for the machine that it is for, with its records. `run`: the same network's
// outputs on the judging samples, on this machine, given what `build` made of it. `reference`: the model's outputs on
// them, in float64.
struct PrecisionTools {
  std::function<BuildResult(const PrecisionNetwork&)> build;
  std::function<std::vector<std::vector<Tensor>>(const PrecisionNetwork&, const BuildResult&)> run;
  std::function<std::vector<std::vector<Tensor>>()> reference;
  NetworkTimer* timer = nullptr;
  std::function<void(const std::string&)> tell;  // what is done next, for people who wait; may be empty
};

// Networks of one precision are built, timed call by call and judged by the reference; a layer's time in each is what
// its calls take there. Its error is what it does to the outputs when all others are float32 (LayerLoss). From these
// follows the fastest assignment within the budget (ChooseAssignment), the squares of errors added up. It is built and
// judged as a whole: errors that do not add up so show there, and where it does not hold the budget the search's own is
// tightened, where much is left it is loosened. Of all networks that hold `max_error` the fastest is taken, timed in
// turns. float32 holds any budget; of 0 nothing is judged and nothing else tried. `why_not_bfloat16`: empty, or why the
// machine has none.
ChosenPrecision ChoosePrecision(const PrecisionModels& models, double max_error, const std::string& why_not_bfloat16,
                                const PrecisionTools& tools);

}  // namespace hone
