// Computes layers of a model separately in a lower precision, with exact inputs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/package/plan.h"
#include "lab/quantise/quantiser.h"

namespace hone {

struct NamedProduct {
  std::string name, op;  // name of the model's node, and its op, "nn.conv2d"
};
// The named products of floats in the order of computation: convolutions, transposed ones too, dense layers and batched
// products. Several calls of one name count as one.
std::vector<NamedProduct> NamedProducts(const relay::IRModule& typed);

// A value of a layer, exact and in the layer's precision.
struct RoundedValue {
  Tensor exact, rounded;
};

// Layers that are computed together: as many as fit into memory with their values.
struct RoundedLayers {
  relay::IRModule module;              // the model, typed
  std::vector<relay::ExprPtr> values;  // in the module's main: results of the layers
  std::vector<std::string> layers;     // per value its layer; a layer may have several values
  // Returns the values in order. The first call builds the runner, which is kept.
  std::function<std::vector<RoundedValue>(const std::map<std::string, Tensor>& inputs)> run;
};

// Operands of a product that are stored as bfloat16.
struct BFloat16Operands {
  bool data = false, weight = false;
};
// Operands by layer, from a built network; a layer without any is left out.
std::map<std::string, BFloat16Operands> BFloat16OperandsIn(const Plan& plan);
// These products with these operands rounded, before a bias is added. They run on this machine, whose context is
// `here`.
std::vector<RoundedLayers> BFloat16Layers(const relay::IRModule& typed,
                                          const std::map<std::string, BFloat16Operands>& operands,
                                          const BuildContext& here);
// All layers that the quantiser can quantise, each quantised separately, behind the activation. Borrows the quantiser.
std::vector<RoundedLayers> Int8Layers(const Quantiser& quantiser);

// Limit for the bytes of values computed at once.
inline constexpr int64_t kRoundedBytes = int64_t{1} << 28;

}  // namespace hone
