// A float model with QDQ pairs (QuantizeLinear, then DequantizeLinear), the form that every ONNX runtime reads:
//
//    value -> QuantizeLinear -> DequantizeLinear -> layer        uint8, one scale per value
//    int8 weight -------------> DequantizeLinear -> layer        one scale per output channel
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/quantisation_plan.h"

namespace hone {

struct QuantisedValues {
  std::map<std::string, ByteScale> scales;           // for every value of the plan
  std::map<std::string, std::vector<double>> means;  // per channel, for the inputs of layers whose biases are corrected
};

// The model's bytes. Weights become int8 with a scale per output channel, biases int32 with the products' scales, and
// values uint8 with one scale. Names, inputs and outputs stay; initializers without a reader are removed. Throws
// Error(kBadData) if the model does not fit in one file.
std::string WriteQdq(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values);

// A float model with a quantised copy beside each layer of the plan. The copy reads the float value, so that it shows
// the cost of this layer's own rounding. `outputs[i]` is the copy's value for the output of layer i.
struct LonelyLayers {
  std::string model;
  std::vector<std::string> outputs;
};
LonelyLayers WriteLonelyLayers(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values);

}  // namespace hone
