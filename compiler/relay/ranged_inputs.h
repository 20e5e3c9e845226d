// Inputs of @main with axes whose extent the caller chooses for each run. The type holds the greatest extent. The
// actual extent is a further input, an int64 scalar with the dimension's name, behind those of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The attribute of @main: four integers for each RangedInput, in the order of its members.
inline constexpr std::string_view kRanged = "ranged";

struct RangedInput {
  int64_t input = 0;   // number of the parameter of @main
  int64_t axis = 0;    // of the parameter
  int64_t extent = 0;  // number of the parameter that holds the extent: one int64
  int64_t least = 1;   // the most is the parameter's dim
};

// Throws Error(kBadData) if the attribute does not fit the parameters.
std::vector<RangedInput> RangedInputs(const Function& main);
// The attribute's value, as RangedInputs reads it.
std::vector<int64_t> RangedNumbers(const std::vector<RangedInput>& ranged);
// Whether the parameter holds an extent, and so is none of the model's own inputs.
bool IsExtent(const std::vector<RangedInput>& ranged, int64_t param);

// The user's name of a dimension whose extent the parameter holds. Where a value of the model has the same name, the
// parameter's has a tail.
std::string DimensionName(const Var& extent);
// The parameter's name for the dimension: with tails until `is_taken` denies it.
std::string ExtentParamName(std::string dimension, const std::function<bool(const std::string&)>& is_taken);

// The inputs as @main takes them: each grown to the type's shape with zeros behind its own elements, and with the
// extents added under the dimensions' names. An input that is missing, or that no range allows, stays as it is given.
// Throws Error(kBadData) if an extent is out of its range, or if two inputs disagree on one.
std::map<std::string, Tensor> FullInputs(const Function& main, std::map<std::string, Tensor> given);

}  // namespace hone::relay
