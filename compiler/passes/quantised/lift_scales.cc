#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "compiler/ops/matmul/op_products.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/byte_product.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Integers times a positive scale.
struct ScaledValue {
  ExprPtr whole;
  WholeRange range;
  double scale = 1;
};

std::optional<ScaledValue> AsScaledValue(const ExprPtr& expr) {
  const Call* multiply = relay::AsCallTo(expr, "multiply");
  const auto scale = multiply ? ScalarOf(multiply->args[1]) : std::nullopt;
  if (!scale || !(*scale > 0) || !std::isfinite(*scale) || ShapeOf(multiply->args[0]) != ShapeOf(expr)) return {};
  const auto range = WholeRangeOf(multiply->args[0]);
  if (!range || !range->Within(-relay::kLargestExact, relay::kLargestExact)) return {};
  return ScaledValue{multiply->args[0], *range, *scale};
}

// Constant integers with a scale per position along one axis.
struct ScaledConstant {
  ExprPtr whole;
  std::vector<double> scales;
};

std::optional<ScaledConstant> AsScaledConstant(const ExprPtr& expr, int axis) {
  const Call* multiply = relay::AsCallTo(expr, "multiply");
  if (multiply == nullptr || relay::AsConstant(multiply->args[0]) == nullptr) return {};
  if (ShapeOf(multiply->args[0]) != ShapeOf(expr)) return {};
  const auto scales = PerChannel(multiply->args[1], ShapeOf(expr), axis);
  if (!scales || !WholeRangeOf(multiply->args[0])) return {};
  if (!std::all_of(scales->begin(), scales->end(), [](double s) { return s > 0 && std::isfinite(s); })) return {};
  return ScaledConstant{multiply->args[0], *scales};
}

// The weight with a scale per output (axis 0), perhaps behind a transpose or a reshape.
std::optional<ScaledConstant> AsScaledWeight(const ExprPtr& expr) {
  const Call* transpose = ShapeOf(expr).size() == 2 ? relay::AsCallTo(expr, "transpose") : nullptr;
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  if (reshape != nullptr && (ShapeOf(reshape->args[0]).empty() || ShapeOf(expr)[0] != ShapeOf(reshape->args[0])[0])) {
    return {};
  }
  const Call* move = transpose != nullptr ? transpose : reshape;
  if (move == nullptr) return AsScaledConstant(expr, 0);
  auto weight = AsScaledConstant(move->args[0], transpose != nullptr ? 1 : 0);
  if (weight) weight->whole = FoldConstant(WithArgs(*move, {weight->whole}));
  return weight;
}

double AsFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

// Whether kernels of bytes sum exactly in int32 what float32 cannot hold.
bool SumsInInt32(const Call& product, double largest, double span) {
  constexpr double kLargestInt32 = 2147483647;
  return MultipliesBytes(product) && largest <= kLargestInt32 && span <= kLargestByte;
}

ExprPtr LiftFromProduct(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  const Call* call = conv != nullptr ? conv : relay::AsCallTo(node, "nn.dense");
  if (call == nullptr || call->attrs.GetBool("integral")) return nullptr;
  const auto data = AsScaledValue(call->args[0]);
  const auto weight = data ? AsScaledWeight(call->args[1]) : std::nullopt;
  if (!weight) return nullptr;
  const Tensor& whole = relay::AsConstant(weight->whole)->value;
  const double low = std::min(data->range.low, 0.0), high = std::max(data->range.high, 0.0);
  const double largest = relay::LargestPartialSum(whole, low, high);
  relay::Attrs attrs = call->attrs;
  attrs.Set("integral", true);
  if (largest > relay::kLargestExact) attrs.Set("long_sums", true);
  const std::string& name = relay::AsOp(call->op)->def->name;
  const ExprPtr product = TypedCall(name, {data->whole, weight->whole}, attrs, call->name);
  if (largest > relay::kLargestExact && !SumsInInt32(*relay::AsCall(product), largest, high - low)) return nullptr;
  std::vector<double> scales = weight->scales;
  for (double& scale : scales) scale = AsFloat(scale * data->scale);
  return TypedCall("multiply", {product, ChannelConstant(scales, ShapeOf(node).size(), 1, "")}, {}, call->name);
}

// Lifts the scales of two computed matrices, which have one each.
ExprPtr LiftFromComputed(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCallTo(node, "nn.batch_matmul");
  if (call == nullptr || call->attrs.GetBool("integral")) return nullptr;
  const auto data = AsScaledValue(call->args[0]), weight = AsScaledValue(call->args[1]);
  if (!data || !weight || !IsStatic(ShapeOf(node))) return nullptr;
  const auto size = [](const WholeRange& range) { return std::max(-range.low, range.high); };
  const int64_t depth = ShapeOf(call->args[0])[call->attrs.GetBool("transpose_a") ? 1 : 2];
  const double largest = static_cast<double>(depth) * size(data->range) * size(weight->range);
  constexpr double kLargestInt32 = 2147483647;
  relay::Attrs attrs = call->attrs;
  attrs.Set("integral", true);
  if (largest > relay::kLargestExact) attrs.Set("long_sums", true);
  const ExprPtr product = TypedCall("nn.batch_matmul", {data->whole, weight->whole}, attrs, call->name);
  if (!MultipliesBytes(*relay::AsCall(product)) || largest > kLargestInt32) return nullptr;
  return TypedCall("multiply", {product, ScalarConstant(AsFloat(data->scale * weight->scale))}, {}, call->name);
}

// The multiplication of an integral product by constant scales, or null.
const Call* AsScaledProduct(const ExprPtr& expr) {
  const Call* multiply = relay::AsCallTo(expr, "multiply");
  if (multiply == nullptr || IntegralProduct(multiply->args[0]) == nullptr) return nullptr;
  return relay::AsConstant(multiply->args[1]) != nullptr ? multiply : nullptr;
}

bool SameScales(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-6 * std::abs(y); });
}

// Adds a bias to the integers if it was quantised with the product's own scales, as quantisers do.
ExprPtr LiftFromBias(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "nn.bias_add");
  const Call* multiply = add != nullptr ? AsScaledProduct(add->args[0]) : nullptr;
  const Call* product = multiply != nullptr ? IntegralProduct(multiply->args[0]) : nullptr;
  if (product == nullptr || multiply->args[0].get() != product || add->attrs.GetInt("axis", 1) != 1) return nullptr;
  const auto bias = AsScaledConstant(add->args[1], 0);
  const auto scales = PerChannel(multiply->args[1], ShapeOf(node), 1);
  const auto range = WholeRangeOf(product->args[0]);
  if (!bias || !scales || !range || !SameScales(bias->scales, *scales)) return nullptr;
  const WholeRange largest = WholeRangeOf(bias->whole).value_or(WholeRange{});
  const double low = std::min(range->low, 0.0), high = std::max(range->high, 0.0);
  const double sum = relay::LargestPartialSum(relay::AsConstant(product->args[1])->value, low, high);
  if (sum + std::max(largest.high, -largest.low) > relay::kLargestExact) return nullptr;
  const ExprPtr biased = TypedCall("nn.bias_add", {multiply->args[0], bias->whole}, add->attrs, add->name);
  return TypedCall("multiply", {biased, multiply->args[1]}, {}, multiply->name);
}

bool IsPositive(const ExprPtr& scales) {
  const Tensor& value = relay::AsConstant(scales)->value;
  for (int64_t i = 0; i < value.elements(); ++i) {
    if (!(value.At(i) > 0)) return false;
  }
  return true;
}

ExprPtr LiftFromRelu(const ExprPtr& node, const Uses&) {
  const Call* relu = relay::AsCallTo(node, "nn.relu");
  const Call* multiply = relu != nullptr ? AsScaledProduct(relu->args[0]) : nullptr;
  if (multiply == nullptr || !IsPositive(multiply->args[1])) return nullptr;
  const ExprPtr inner = TypedCall("nn.relu", {multiply->args[0]}, relu->attrs, relu->name);
  return TypedCall("multiply", {inner, multiply->args[1]}, {}, multiply->name);
}

// One positive scale for all moves behind a homogeneous operator.
ExprPtr LiftFromMove(const ExprPtr& node, const Uses&) {
  const Call* move = relay::AsCall(node);
  const relay::Op* op = move != nullptr ? relay::AsOp(move->op) : nullptr;
  if (op == nullptr || !op->def->traits.homogeneous) return nullptr;
  const auto data = AsScaledValue(move->args[0]);
  if (!data || relay::AsConstant(data->whole) != nullptr) return nullptr;
  // Makes a new scalar, because the moved data may have fewer axes than the constant there.
  const ExprPtr moved = TypedCall(op->def->name, {data->whole}, move->attrs, move->name);
  return TypedCall("multiply", {moved, ScalarConstant(data->scale)});
}

// Equal scales of all parts move behind the concatenation.
ExprPtr LiftFromConcat(const ExprPtr& node, const Uses&) {
  const Call* concat = AsJoin(node);
  const relay::Tuple* tuple = concat != nullptr ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::vector<ExprPtr> wholes;
  double scale = 0;
  for (const ExprPtr& field : tuple->fields) {
    const auto part = AsScaledValue(field);
    if (!part || (!wholes.empty() && part->scale != scale)) return nullptr;
    scale = part->scale;
    wholes.push_back(part->whole);
  }
  const ExprPtr joined = TypedCall(DefOf(node)->name, {TypedTuple(std::move(wholes))}, concat->attrs, concat->name);
  return TypedCall("multiply", {joined, relay::AsCall(tuple->fields[0])->args[1]});
}

// Joins scales: no rule defines the rounding of this sum, and one rounding is closer than two.
ExprPtr JoinScales(const ExprPtr& node, const Uses&) {
  const Call* divide = relay::AsCallTo(node, "divide");
  const Call* multiply = divide != nullptr ? AsScaledProduct(divide->args[0]) : nullptr;
  const auto divisor = multiply != nullptr ? ScalarOf(divide->args[1]) : std::nullopt;
  if (!divisor || ShapeOf(multiply->args[0]) != ShapeOf(node)) return nullptr;
  auto scales = PerChannel(multiply->args[1], ShapeOf(node), 1);
  if (!scales) return nullptr;
  for (double& scale : *scales) scale /= *divisor;
  const ExprPtr joined = ChannelConstant(*scales, ShapeOf(node).size(), 1, "");
  return TypedCall("multiply", {multiply->args[0], joined}, {}, divide->name);
}

// Folds reshaped scales and the like, but not products, which may be integers times their scales.
ExprPtr FoldOthers(const ExprPtr& node, const Uses&) {
  if (relay::AsCallTo(node, "multiply") != nullptr) return nullptr;
  return FoldConstant(node);
}

}  // namespace

const std::vector<Rule>& ScaleRules() {
  static const std::vector<Rule> rules{LiftFromProduct, LiftFromComputed, LiftFromBias, LiftFromRelu,
                                       LiftFromMove,    LiftFromConcat,   JoinScales};
  return rules;
}

relay::IRModule LiftScales(const relay::IRModule& module) {
  std::vector<Rule> rules{FoldOthers};
  for (const auto* group : {&ScaleRules(), &WholeNumberRules()})
    rules.insert(rules.end(), group->begin(), group->end());
  return RewriteByRules(module, rules);
}

}  // namespace hone
