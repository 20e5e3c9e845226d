// The layers of a model that become integers, and the values that become bytes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/float_model.h"
#include "compiler/quantise/range_method.h"

namespace hone {

// A product of a computed value and a constant weight, or of two computed values.
struct QuantisableLayer {
  std::string node;     // its name
  std::string op_type;  // Conv, Gemm or MatMul
  std::string input;    // the value that it multiplies
  std::string output;   // value that measures its error: its result, or that of a Relu or Clip that is its only reader
  int64_t channel_axis = 1;  // the input's axis along which the weight's inputs lie
  std::string other;         // the second computed value; empty if there is a weight
};

// The layers that can be quantised, in the order of the nodes: Conv of one or two spatial dimensions, Gemm without
// transposed data or factors, and MatMul. Their weights are finite float32 initializers of the right rank. With
// `products` also MatMul of two computed values.
std::vector<QuantisableLayer> QuantisableLayers(const FloatModel& model, bool products = false);

// The positions of QDQ pairs (QuantizeLinear, then DequantizeLinear).
struct QuantisationPlan {
  std::vector<QuantisableLayer> layers;  // layers to be quantised
  // Values that get a pair, and whether all their readers read the pair's result; if not, only the layers and the nodes
  // of `byte_nodes` do.
  std::map<std::string, bool> values;
  std::set<std::string> byte_nodes;  // names of other nodes whose data are bytes: pools, moves, sums, concatenations
  std::vector<std::vector<std::string>> same;    // values that must share a scale, because they hold the same numbers
  std::vector<std::vector<std::string>> joined;  // values that should share one, because they are concatenated
};

// The plan that leaves the layers named in `left` in float.
QuantisationPlan PlanQuantisation(const FloatModel& model, const std::vector<QuantisableLayer>& layers,
                                  const std::set<std::string>& left);

// One scale per value of the plan. Concatenated values share the range of all of them. They do not if one reaches more
// than four times as far as another: then one more rounding costs less. `ranges` has every value of the plan.
std::map<std::string, ByteScale> ChooseScales(const QuantisationPlan& plan,
                                              const std::map<std::string, ValueRange>& ranges);

}  // namespace hone
