#include "compiler/passes/narrow_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/half_types.h"
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

// The bits of the half that has a float32's value; nullopt if none has.
std::optional<uint16_t> ExactBFloat16(uint32_t bits) {
  return (bits & 0xffff) == 0 ? std::optional(static_cast<uint16_t>(bits >> 16)) : std::nullopt;
}

std::optional<uint16_t> ExactFloat16(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fffffff;
  if ((bits & 0x1fff) != 0) return std::nullopt;
  // Normal in both types: the exponent's bias is 112 less in float16.
  if (magnitude >= 113U << 23 && magnitude < 143U << 23) {
    return static_cast<uint16_t>((bits >> 16 & 0x8000) | (magnitude - (112U << 23)) >> 13);
  }
  const Float16 half(std::bit_cast<float>(bits));
  const bool same = std::bit_cast<uint32_t>(static_cast<float>(half)) == bits;
  return same ? std::optional(half.bits()) : std::nullopt;
}

// Weights that `narrow` returns as float16; others stay.
relay::IRModule Narrowed(const relay::IRModule& module,
                         const std::function<std::optional<Tensor>(const Tensor&)>& narrow) {
  // Narrowed weights, null for weights that stay; layers may share theirs.
  std::unordered_map<const relay::Constant*, ExprPtr> narrowed;
  const Rule rule = [&](const ExprPtr& expr, const Uses&) -> ExprPtr {
    const relay::Constant* weights = WideWeights(expr);
    if (weights == nullptr) return nullptr;
    const auto [it, is_new] = narrowed.try_emplace(weights);
    if (is_new) {
      if (std::optional<Tensor> half = narrow(weights->value)) {
        it->second = relay::MakeConstant(std::move(*half), weights->name);
      }
    }
    if (it->second == nullptr) return nullptr;
    const Call& dense = *relay::AsCall(expr);
    return TypedCall("nn.dense", {dense.args[0], it->second}, dense.attrs, dense.name);
  };
  return RewriteByRules(module, {rule});
}

}  // namespace

relay::IRModule NarrowWeights(const relay::IRModule& module) {
  return Narrowed(module, [](const Tensor& weights) {
    return WhyWide(weights).empty() ? std::optional(NarrowedTensor(weights)) : std::nullopt;
  });
}

relay::IRModule NarrowExactWeights(const relay::IRModule& module) {
  const std::vector<DType> halves = relay::HalfTypesOf(*module.main);
  if (std::ranges::find(halves, DType::kFloat16) == halves.end()) return module;
  return Narrowed(module, [](const Tensor& weights) { return ExactAs(weights, DType::kFloat16); });
}

std::optional<Tensor> ExactAs(const Tensor& tensor, DType half) {
  Tensor narrow(half, tensor.shape());
  const auto* bits = static_cast<const uint32_t*>(tensor.raw());
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const std::optional<uint16_t> exact = half == DType::kFloat16 ? ExactFloat16(bits[i]) : ExactBFloat16(bits[i]);
    if (!exact) return std::nullopt;
    static_cast<uint16_t*>(narrow.raw())[i] = *exact;
  }
  return narrow;
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
