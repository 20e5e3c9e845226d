#include "compiler/passes/graph/whole_numbers.h"

#include <algorithm>
#include <cmath>

#include "compiler/ops/matmul/op_products.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Chains of operators that keep integers are short; a long one is not worth walking again and again.
constexpr int kDeepest = 12;

bool IsWhole(double value) { return std::trunc(value) == value; }

std::optional<WholeRange> OfConstant(const Tensor& value) {
  WholeRange range{0, 0};
  for (int64_t i = 0; i < value.elements(); ++i) {
    if (!IsWhole(value.At(i))) return std::nullopt;
    range = {std::min(range.low, value.At(i)), std::max(range.high, value.At(i))};
  }
  return range;
}

std::optional<WholeRange> OfIntegers(DType dtype) {
  if (dtype == DType::kUInt8) return WholeRange{0, 255};
  if (dtype == DType::kInt8) return WholeRange{-128, 127};
  return std::nullopt;
}

// The range of sums that float32 holds exactly.
constexpr WholeRange kExactSum{-relay::kLargestExact, relay::kLargestExact};

std::optional<WholeRange> Find(const ExprPtr& expr, int depth);

std::optional<WholeRange> OfClip(const Call& clip, int depth) {
  const auto of = Find(clip.args[0], depth);
  const WholeRange none;
  const double low = clip.attrs.GetFloat("a_min", none.low), high = clip.attrs.GetFloat("a_max", none.high);
  if (!of || !IsWhole(low) || !IsWhole(high)) return std::nullopt;
  return WholeRange{std::clamp(of->low, low, high), std::clamp(of->high, low, high)};
}

std::optional<WholeRange> Added(const Call& call, double sign, int depth) {
  const auto of = Find(call.args[0], depth), by = Find(call.args[1], depth);
  if (!of || !by) return std::nullopt;
  const double a = sign * by->low, b = sign * by->high;
  return WholeRange{of->low + std::min(a, b), of->high + std::max(a, b)};
}

std::optional<WholeRange> OfJoined(const Call& concat, int depth) {
  const relay::Tuple* tuple = relay::AsTuple(concat.args[0]);
  if (tuple == nullptr) return std::nullopt;
  WholeRange all{0, 0};
  for (const ExprPtr& field : tuple->fields) {
    const auto of = Find(field, depth);
    if (!of) return std::nullopt;
    all = {std::min(all.low, of->low), std::max(all.high, of->high)};
  }
  return all;
}

std::optional<WholeRange> OfCall(const Call& call, int depth) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  const std::string& name = op.name;
  if (name == "round") return WholeRange{};
  if (name == "clip") return OfClip(call, depth);
  if (name == "add") return Added(call, 1, depth);
  if (name == "subtract") return Added(call, -1, depth);
  if (JoinsFields(op)) return OfJoined(call, depth);
  if (name == "cast") return OfIntegers(call.args[0]->type->dtype);
  if (op.traits.moves) return Find(call.args[0], depth);
  if (name != "nn.relu") return std::nullopt;
  const auto of = Find(call.args[0], depth);
  return of ? std::optional(WholeRange{std::max(of->low, 0.0), std::max(of->high, 0.0)}) : std::nullopt;
}

// The call of an integral product of two computed matrices; null for any other expression.
const Call* IntegralOfComputed(const ExprPtr& expr) {
  const Call* product = relay::AsCallTo(expr, "nn.batch_matmul");
  return product != nullptr && product->attrs.GetBool("integral") ? product : nullptr;
}

std::optional<WholeRange> Find(const ExprPtr& expr, int depth) {
  if (depth == 0 || expr->type->kind != relay::TypeKind::kTensor || expr->type->dtype != DType::kFloat32) return {};
  if (const relay::Constant* constant = relay::AsConstant(expr)) return OfConstant(constant->value);
  const Call* of_weights = IntegralProduct(expr);
  if (const Call* product = of_weights != nullptr ? of_weights : IntegralOfComputed(expr)) {
    return product->attrs.GetBool("long_sums") ? std::nullopt : std::optional(kExactSum);
  }
  const Call* call = relay::AsCall(expr);
  return call != nullptr && relay::AsOp(call->op) != nullptr ? OfCall(*call, depth - 1) : std::nullopt;
}

}  // namespace

std::optional<WholeRange> WholeRangeOf(const ExprPtr& expr) { return Find(expr, kDeepest); }

bool IsOfWhole(std::string_view product, const ExprPtr& expr) {
  const ExprPtr* at = &expr;
  for (int step = 0; step < kDeepest; ++step) {
    const Call* call = relay::AsCall(*at);
    const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr) return false;
    if (op->def->name == product) return call->attrs.GetBool("integral");
    const relay::OpPattern pattern = op->def->pattern;
    if (pattern != relay::OpPattern::kElementwise && pattern != relay::OpPattern::kBroadcast) return false;
    at = &call->args[0];
  }
  return false;
}

const Call* IntegralProduct(const ExprPtr& expr) {
  const Call* relu = relay::AsCallTo(expr, "nn.relu");
  const ExprPtr& biased = relu != nullptr ? relu->args[0] : expr;
  const Call* add = relay::AsCallTo(biased, "nn.bias_add");
  const relay::Constant* bias = add != nullptr ? relay::AsConstant(add->args[1]) : nullptr;
  if (add != nullptr && (bias == nullptr || !OfConstant(bias->value))) return nullptr;
  const ExprPtr& product = add != nullptr ? add->args[0] : biased;
  const Call* conv = relay::AsCallTo(product, "nn.conv2d");
  const Call* call = conv != nullptr ? conv : relay::AsCallTo(product, "nn.dense");
  return call != nullptr && call->attrs.GetBool("integral") ? call : nullptr;
}

}  // namespace hone
