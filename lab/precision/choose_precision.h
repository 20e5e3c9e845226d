// Searches for the fastest network within an error budget, whose layers may have different precisions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/package/plan.h"
#include "lab/precision/choose_assignment.h"
#include "lab/precision/network_timer.h"
#include "lab/precision/precision_models.h"
#include "lab/quantise/image_inputs.h"

namespace hone {

inline constexpr double kAutoMaxError = 1e-2;

// The values of the options of --precision int8 and auto.
struct PrecisionOptions {
  std::string calibrate;  // a folder, or "random"
  int64_t samples = 8;    // number drawn if calibrate is "random"
  ImageOptions images = {};
  double max_error = -1;  // negative: not given, so kAutoMaxError for auto, unlimited for int8
};

struct LayerChoice {
  std::string layer, op;
  LayerPrecision precision = LayerPrecision::kFloat32;
  double float32_ns = 0, ns = 0;  // in the network that has only that precision; 0: unknown
  double alone_db = 0;            // signal-to-noise ratio of its own result; SignalError::kExact for float32
  double output_error = 0;        // error of the outputs if only this layer is not float32; 0 for float32
};

using LayerCounts = std::array<int64_t, kLayerPrecisions>;  // by LayerPrecision

struct TriedNetwork {
  std::string what;  // "float32", "bfloat16", "int8", "mixed 1"
  LayerCounts layers{};
  double error = 0;     // error of the outputs on the judging samples
  double expected = 0;  // estimated from its layers' errors; 0: unknown
  bool holds = true;
  int64_t ns = 0;  // 0: not timed
  bool taken = false;
};

struct ChosenPrecision {
  PrecisionNetwork network;
  bool is_float32 = true;  // whether the network is the model itself
  std::vector<LayerChoice> layers;
  std::vector<TriedNetwork> tried;    // float32 first
  std::vector<std::string> left_out;  // precisions not tried, each with the reason
  size_t samples = 0, held_out = 0;   // as in QuantisedModel
  std::string calibrate;              // the folder, or "random"
  double max_error = -1;              // below 0: unlimited
  bool measured = true;               // whether times were measured, not estimated; true if there are none
  double error() const;               // error of the chosen network
};

// The precision's description for the manifest.
PackagePrecision PackagePrecisionOf(const ChosenPrecision& chosen);
LayerCounts CountLayers(const std::vector<LayerChoice>& layers);

// Functions that the search calls. `build` builds a network for the target machine, with its records. `run` returns
// that network's outputs on the judging samples, on this machine, given the result of `build`. `reference` returns the
// model's outputs on them, in float64.
struct PrecisionTools {
  std::function<BuildResult(const PrecisionNetwork&)> build;
  std::function<std::vector<std::vector<Tensor>>(const PrecisionNetwork&, const BuildResult&)> run;
  std::function<std::vector<std::vector<Tensor>>()> reference;
  NetworkTimer* timer = nullptr;
  std::function<void(const std::string&)> tell;  // announces the next step to users who wait; may be empty
};

// Searches in these steps:
// - Networks of one precision are built, timed call by call and judged by the reference. A layer's time in each is that
//   of its calls.
// - A layer's error is its effect on the outputs when all other layers are float32 (LayerLoss).
// - ChooseAssignment gives the fastest assignment within the budget, adding the squares of errors.
// - The network of this assignment is built and judged as a whole, since errors may add up differently. If it exceeds
//   the budget, the search's own budget is tightened. If much is left, it is loosened.
// - The networks that hold `max_error` are timed in turns, and the fastest is chosen.
//
// float32 holds any budget. With a budget of 0 nothing is judged and nothing else is tried. `why_not_bfloat16` is
// empty, or the reason why the machine has no bfloat16.
ChosenPrecision ChoosePrecision(const PrecisionModels& models, double max_error, const std::string& why_not_bfloat16,
                                const PrecisionTools& tools);

}  // namespace hone
