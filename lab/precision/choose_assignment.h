// Chooses the fastest precisions of a model's layers whose errors together stay within a budget.
#pragma once

#include <string>
#include <vector>

#include "lab/precision/layer_precision.h"

namespace hone {

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

}  // namespace hone
