// A float model with pairs of QuantizeLinear and DequantizeLinear, as every ONNX runtime reads it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/quantisation_plan.h"

namespace hone {

struct QuantisedValues {
  std::map<std::string, ByteScale> scales;           // of every value of the plan
  std::map<std::string, std::vector<double>> means;  // per channel, of the inputs of layers whose biases are corrected
};

// The model's bytes. Weights become int8 with a scale per output channel, biases int32 of the products' scales, values
// uint8 with one scale; names, inputs and outputs stay. Initializers that nothing reads any more are gone. Throws
// Error(kBadData) when it does not fit in one file.
std::string WriteQdq(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values);

// A float model with a quantised copy beside each layer of the plan, which reads the float value: what each layer's own
// rounding costs. `outputs[i]` is what the copy of layer i makes in place of the layer's output.
struct LonelyLayers {
  std::string model;
  std::vector<std::string> outputs;
};
LonelyLayers WriteLonelyLayers(const FloatModel& model, const QuantisationPlan& plan, const QuantisedValues& values);

}  // namespace hone
