#include "compiler/passes/pack_weights.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/ops/matmul/op_blocks.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Fewer weights gain nothing worth their rounding.
constexpr int64_t kLeastPacked = int64_t{1} << 16;

// The float32 constant that a dense layer of float32 multiplies with; null for any other expression.
const relay::Constant* RealWeights(const ExprPtr& expr) {
  const Call* dense = relay::AsCallTo(expr, "nn.dense");
  if (dense == nullptr || AsAnchor(expr) == nullptr) return nullptr;
  if (dense->attrs.GetBool("integral") || dense->attrs.GetBool("keep_float32")) return nullptr;
  const relay::Constant* weights = relay::AsConstant(dense->args[1]);
  const bool real = weights != nullptr && dense->args[0]->type->dtype == DType::kFloat32 &&
                    weights->value.dtype() == DType::kFloat32 && weights->value.elements() >= kLeastPacked;
  return real ? weights : nullptr;
}

bool AllFinite(const Tensor& weights) {
  const float* values = weights.data<float>();
  return std::all_of(values, values + weights.elements(), [](float value) { return std::isfinite(value); });
}

// The weight of the largest magnitude becomes the least integer, whose range is the longer one.
float ScaleOf(const float* first, const float* end, int64_t bits) {
  const auto less = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  return *std::max_element(first, end, less) / -static_cast<float>(int64_t{1} << (bits - 1));
}

struct PackedWeights {
  ExprPtr words, scales;
};

PackedWeights Packed(const relay::Constant& weights, const BlockFormat& format) {
  const int64_t rows = weights.value.shape()[0], columns = weights.value.shape()[1];
  Tensor words(DType::kInt32, {rows, format.Words(columns)}), scales(DType::kFloat32, {rows, format.Blocks(columns)});
  const auto most = static_cast<float>((int64_t{1} << (format.bits - 1)) - 1);
  float* scale = scales.data<float>();
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = weights.value.data<float>() + row * columns;
    int32_t* to = words.data<int32_t>() + row * format.Words(columns);
    for (int64_t first = 0; first < columns; first += format.block, ++scale) {
      const int64_t end = std::min(first + format.block, columns);
      *scale = ScaleOf(from + first, from + end, format.bits);
      for (int64_t k = first; k < end; ++k) {
        const float quotient = *scale == 0 ? 0 : std::nearbyint(from[k] / *scale);
        format.SetInteger(to, k, static_cast<int32_t>(std::clamp(quotient, -most - 1, most)));
      }
    }
  }
  return {relay::MakeConstant(std::move(words), weights.name), relay::MakeConstant(std::move(scales), weights.name)};
}

}  // namespace

relay::IRModule PackWeights(const relay::IRModule& module, const BlockFormat& format) {
  // Layers may share their weights.
  std::unordered_map<const relay::Constant*, PackedWeights> packed;
  const Rule rule = [&](const ExprPtr& expr, const Uses&) -> ExprPtr {
    const relay::Constant* weights = RealWeights(expr);
    if (weights == nullptr || !AllFinite(weights->value)) return nullptr;
    const auto [it, is_new] = packed.try_emplace(weights);
    if (is_new) it->second = Packed(*weights, format);
    const Call& dense = *relay::AsCall(expr);
    return TypedCall("nn.dense_blocks", {dense.args[0], it->second.words, it->second.scales}, relay::BlockAttrs(format),
                     dense.name);
  };
  return RewriteByRules(module, {rule});
}

std::vector<KeptWeights> WeightsNotPacked(const relay::IRModule& module) {
  std::vector<KeptWeights> kept;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    const relay::Constant* weights = RealWeights(expr);
    if (weights != nullptr && !AllFinite(weights->value)) {
      kept.push_back({relay::AsCall(expr)->name, "has a weight that is not finite"});
    }
  }
  return kept;
}

relay::IRModule QuantiseRows(const relay::IRModule& module) {
  const Rule rule = [](const ExprPtr& expr, const Uses&) -> ExprPtr {
    constexpr int64_t kLongest = int64_t{1} << 16;
    const Call* dense = relay::AsCallTo(expr, "nn.dense_blocks");
    if (dense == nullptr || relay::QuantisesRows(dense->attrs) || dense->attrs.GetInt("block") > kLongest)
      return nullptr;
    relay::Attrs attrs = dense->attrs;
    attrs.Set("activations", std::string("int8"));
    return TypedCall("nn.dense_blocks", dense->args, std::move(attrs), dense->name);
  };
  return RewriteByRules(module, {rule});
}

}  // namespace hone
