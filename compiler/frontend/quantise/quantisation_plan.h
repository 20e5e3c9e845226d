// Which layers of a model become integers, and which of its values bytes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/value_range.h"

namespace hone {

// A product of a computed value and a constant weight, or of two computed values.
struct QuantisableLayer {
  std::string node;          // its name
  std::string op_type;       // Conv, Gemm or MatMul
  std::string input;         // the value that it multiplies
  std::string output;        // what it makes, behind a Relu or Clip that alone reads it: where its error is judged
  int64_t channel_axis = 1;  // of the input: the axis that the weight's inputs lie along
  std::string other;         // the second value that is computed; empty where there is a weight
};

// Those that can be quantised, in the order of the nodes: Conv of one or two spatial dimensions, Gemm without
// transposed data or factors, and MatMul, whose weights are finite float32 initializers of the right rank; with
// `products` MatMul of two computed values, too.
std::vector<QuantisableLayer> QuantisableLayers(const FloatModel& model, bool products = false);

// Where pairs of QuantizeLinear and DequantizeLinear go.
struct QuantisationPlan {
  std::vector<QuantisableLayer> layers;  // that are quantised
  // Values that get a pair, and whether all that read them read what the pair makes; else the layers do, and the nodes
  // of `byte_nodes`.
  std::map<std::string, bool> values;
  std::set<std::string> byte_nodes;  // names of other nodes whose data are bytes: pools, moves, sums, concatenations
  std::vector<std::vector<std::string>> same;    // values that must have one scale: they hold the same numbers
  std::vector<std::vector<std::string>> joined;  // values that had better: they are concatenated
};

// The plan that leaves the layers of these names in float.
QuantisationPlan PlanQuantisation(const FloatModel& model, const std::vector<QuantisableLayer>& layers,
                                  const std::set<std::string>& left);

// One scale per value of the plan. What is concatenated shares the range of all unless one reaches more than four
// times as far as another: then rounding once more costs less. `ranges` has every value of the plan.
std::map<std::string, ByteScale> ChooseScales(const QuantisationPlan& plan,
                                              const std::map<std::string, ValueRange>& ranges);

}  // namespace hone
