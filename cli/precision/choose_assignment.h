// The fastest precisions of a model's layers whose errors together stay within a budget.
#pragma once

#include <string>
#include <vector>

#include "cli/precision/layer_precision.h"

namespace hone {

struct PrecisionOption {
  LayerPrecision precision = LayerPrecision::kFloat32;
  double ns = 0;             // of the layer in it
  double squared_error = 0;  // what it adds to the square of the network's error
};

struct LayerOptions {
  std::string layer;
  std::vector<PrecisionOption> options;  // the first has no error
  double change_ns = 0;                  // what it costs when the layer before has another precision
};

// Layers' errors are taken to be independent, so that their squares add up. One of the options of each layer, such that
// the sum of times and of changes between neighbours in the list is least and the sum of squared errors at most
// `squared_budget`. Exact but for the errors, each rounded up to a 4096th of the budget: the sum never exceeds it. With
// a budget of 0 options without an error alone are taken. Ties go to the options that come first. Takes time and memory
// in proportion to layers.
Assignment ChooseAssignment(const std::vector<LayerOptions>& layers, double squared_budget);

}  // namespace hone
