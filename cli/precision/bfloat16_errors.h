// What each product of a model loses by itself when it multiplies bfloat16.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quantise/calibration_inputs.h"
#include "compiler/quantise/signal_error.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"

namespace hone {

struct NamedProduct {
  std::string name, op;  // of the model's node, and "nn.conv2d"
};
// The convolutions, dense layers and batched products of floats that have a name, in the order in which they are
// computed; several calls of one name are one.
std::vector<NamedProduct> NamedProducts(const relay::IRModule& typed);

// By the name of a product: how far it is from itself when it reads exact values and both its operands are rounded to
// bfloat16. The model is built for `here` and run on the samples; what a product makes is compared before its bias.
std::map<std::string, SignalError> BFloat16ErrorsAlone(const relay::IRModule& typed,
                                                       const std::vector<CalibrationSample>& samples,
                                                       const BuildContext& here);

}  // namespace hone
