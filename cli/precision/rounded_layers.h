// What layers of a model make by themselves in a lower precision, their inputs being exact.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/quantise/quantiser.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/plan.h"

namespace hone {

struct NamedProduct {
  std::string name, op;  // of the model's node, and "nn.conv2d"
};
// The convolutions, transposed ones too, dense layers and batched products of floats that have a name, in the order in
// which they are computed; several calls of one name are one.
std::vector<NamedProduct> NamedProducts(const relay::IRModule& typed);

// A value that a layer makes, as it is and as the layer's precision makes it.
struct RoundedValue {
  Tensor exact, rounded;
};

// Layers that are looked at together: as many as fit into memory with what they make.
struct RoundedLayers {
  relay::IRModule module;              // typed: the model
  std::vector<relay::ExprPtr> values;  // of the module's main: what the layers make
  std::vector<std::string> layers;     // per value the layer whose it is; a layer may have several
  // In the order of the values. Builds and keeps what it runs when it is called first.
  std::function<std::vector<RoundedValue>(const std::map<std::string, Tensor>& inputs)> run;
};

// Which operands of a product are stored as bfloat16.
struct BFloat16Operands {
  bool data = false, weight = false;
};
// By layer, of a built network; a layer of neither is not there.
std::map<std::string, BFloat16Operands> BFloat16OperandsIn(const Plan& plan);
// These products with these operands rounded, before a bias is added. Run on this machine, which is `here`.
std::vector<RoundedLayers> BFloat16Layers(const relay::IRModule& typed,
                                          const std::map<std::string, BFloat16Operands>& operands,
                                          const BuildContext& here);
// All that the quantiser can quantise, as it writes each by itself, behind the activation. Borrows the quantiser.
std::vector<RoundedLayers> Int8Layers(const Quantiser& quantiser);

// As many bytes of values are made at once.
inline constexpr int64_t kRoundedBytes = int64_t{1} << 28;

}  // namespace hone
