#include "compiler/passes/narrow_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/small_floats.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// With more rows a layer multiplies for longer than its weights take to arrive.
constexpr int64_t kMostNarrowRows = 4;
// Weights that fit into a core's own cache as float32 arrive no faster as float16.
constexpr int64_t kLeastWeights = int64_t{1} << 16;

constexpr float kLargest = 65504, kLeastNormal = 0x1p-14F;

// The weights of a layer that waits for them; null for any other expression.
const relay::Constant* WideWeights(const ExprPtr& expr) {
  const Call* dense = relay::AsCallTo(expr, "nn.dense");
  if (dense == nullptr || AsAnchor(expr) == nullptr) return nullptr;
  if (dense->attrs.GetBool("integral") || dense->attrs.GetBool("keep_float32")) return nullptr;
  const relay::Constant* weights = relay::AsConstant(dense->args[1]);
  const auto wide = [](const ExprPtr& arg) { return arg->type->dtype == DType::kFloat32; };
  const bool taken = weights != nullptr && wide(dense->args[0]) && wide(dense->args[1]) &&
                     ShapeOf(dense->args[0])[0] <= kMostNarrowRows && weights->value.elements() >= kLeastWeights;
  return taken ? weights : nullptr;
}

// Largest magnitude of `count` weights: 0 if there are none, and infinity if one is NaN.
float LargestOf(const float* weights, int64_t count) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float magnitude = std::fabs(weights[i]);
    largest = std::isnan(magnitude) ? INFINITY : std::max(largest, magnitude);
  }
  return largest;
}

// Reason why float16 would lose too much; empty if it rounds all weights as precisely as it can. In a row that has a
// normal number, smaller weights lose no more than a rounding of that number does.
std::string WhyWide(const Tensor& weights) {
  const int64_t rows = weights.shape()[0], columns = weights.shape()[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float largest = LargestOf(weights.data<float>() + r * columns, columns);
    if (std::isinf(largest)) return "has a weight that is not finite";
    if (largest > kLargest) return fmt::format("has a weight of {}, and float16 ends at {}", largest, kLargest);
    if (largest > 0 && largest < kLeastNormal) {
      return fmt::format("has a row of weights of at most {:.3g}, and float16 is exact to 11 bits from {:.3g} on",
                         largest, kLeastNormal);
    }
  }
  return "";
}

Tensor NarrowedTensor(const Tensor& weights) {
  Tensor narrow(DType::kFloat16, weights.shape());
  std::transform(weights.data<float>(), weights.data<float>() + weights.elements(), narrow.data<Float16>(),
                 [](float weight) { return Float16(weight); });
  return narrow;
}

}  // namespace

relay::IRModule NarrowWeights(const relay::IRModule& module) {
  // Narrowed weights, null for weights that stay; layers may share theirs.
  std::unordered_map<const relay::Constant*, ExprPtr> narrowed;
  const Rule rule = [&](const ExprPtr& expr, const Uses&) -> ExprPtr {
    const relay::Constant* weights = WideWeights(expr);
    if (weights == nullptr) return nullptr;
    const auto [it, is_new] = narrowed.try_emplace(weights);
    if (is_new && WhyWide(weights->value).empty()) {
      it->second = relay::MakeConstant(NarrowedTensor(weights->value), weights->name);
    }
    if (it->second == nullptr) return nullptr;
    const Call& dense = *relay::AsCall(expr);
    return TypedCall("nn.dense", {dense.args[0], it->second}, dense.attrs, dense.name);
  };
  return RewriteByRules(module, {rule});
}

std::vector<KeptWeights> WeightsKeptWide(const relay::IRModule& module) {
  std::vector<KeptWeights> kept;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    const relay::Constant* weights = WideWeights(expr);
    const std::string why = weights != nullptr ? WhyWide(weights->value) : "";
    if (!why.empty()) kept.push_back({relay::AsCall(expr)->name, why});
  }
  return kept;
}

}  // namespace hone
