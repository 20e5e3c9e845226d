// Chooses the fastest precisions of a model's layers whose errors together stay within a budget.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/package/plan.h"

namespace hone {

// The element type in which each layer of a model multiplies.
// float32 comes first, as the default of a layer.
enum class LayerPrecision : uint8_t { kFloat32, kBFloat16, kInt8 };
inline constexpr size_t kLayerPrecisions = 3;

constexpr std::string_view LayerPrecisionName(LayerPrecision precision) {
  constexpr std::string_view kNames[kLayerPrecisions] = {"float32", "bfloat16", "int8"};
  return kNames[static_cast<size_t>(precision)];
}

// Precisions by the layer's name; a missing layer is float32.
using Assignment = std::map<std::string, LayerPrecision>;

inline LayerPrecision PrecisionIn(const Assignment& assignment, const std::string& layer) {
  const auto found = assignment.find(layer);
  return found == assignment.end() ? LayerPrecision::kFloat32 : found->second;
}

struct PrecisionOption {
  LayerPrecision precision = LayerPrecision::kFloat32;
  double ns = 0;             // time of the layer with it
  double squared_error = 0;  // its contribution to the square of the network's error
};

struct LayerOptions {
  std::string layer;
  std::vector<PrecisionOption> options;  // the first has no error
  double change_ns = 0;                  // cost if the previous layer has another precision
};

// Chooses one option per layer. It minimises the sum of times and of changes between neighbours in the list, with a sum
// of squared errors of at most `squared_budget`. Errors of layers are taken to be independent, so their squares add up.
//
// The result is exact but for the errors. Each is rounded up to a 4096th of the budget, so the sum never exceeds it.
// With a budget of 0 only options without an error are chosen. Of equal results the options that come first win. Time
// and memory grow linearly with the number of layers.
Assignment ChooseAssignment(const std::vector<LayerOptions>& layers, double squared_budget);

// `call_ns` has the time of each of the plan's calls, and `layers` are names of the model's nodes. A call counts
// towards the layer that it computes, or in equal parts towards several. A call that computes none (a pool, a
// conversion) counts towards the next layer computed, or else the last one. So the layers' times add up to the
// network's. Layers that no call computes are left out; the result is empty if no layer is computed.
std::map<std::string, double> LayerTimes(const Plan& plan, const std::vector<int64_t>& call_ns,
                                         const std::vector<std::string>& layers);

}  // namespace hone
