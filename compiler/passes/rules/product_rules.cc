// A product of a tensor of higher rank with a matrix is an nn.dense between two reshapes. Operators behind it move
// before the second reshape, so that the kernel's epilogue can fuse them:
//
//    reshape -> dense -> reshape -> add -> relu    becomes    reshape -> dense -> add -> relu -> reshape

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Whether it is a dense layer of floats.
bool IsFloatDense(const ExprPtr& expr) {
  return relay::AsCallTo(expr, "nn.dense") != nullptr || relay::AsCallTo(expr, "nn.dense_blocks") != nullptr;
}

// Whether it is a dense layer, perhaps with bias and a sum, or the result of a dense layer of integers.
bool IsDenseProduct(const ExprPtr& expr) {
  if (IsOfWhole("nn.dense", expr)) return true;
  const Call* sum = relay::AsCallTo(expr, "add");
  const ExprPtr& biased = sum ? sum->args[0] : expr;
  const Call* bias = relay::AsCallTo(biased, "nn.bias_add");
  return IsFloatDense(bias ? bias->args[0] : biased);
}

// The reshape of a product, or null.
const Call* AsReshapedProduct(const ExprPtr& expr) {
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  return reshape != nullptr && IsDenseProduct(reshape->args[0]) ? reshape : nullptr;
}

ExprPtr BiasBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  const Call* reshape = add ? AsReshapedProduct(add->args[0]) : nullptr;
  if (reshape == nullptr || !IsFloatDense(reshape->args[0])) return nullptr;
  const Shape& shape = ShapeOf(node);
  if (shape.empty() || shape != ShapeOf(add->args[0]) || shape.back() != ShapeOf(reshape->args[0])[1]) return nullptr;
  const auto bias = PerChannel(add->args[1], shape, static_cast<int>(shape.size()) - 1);
  if (!bias) return nullptr;
  const ExprPtr vector = VectorConstant(*bias, relay::AsConstant(add->args[1])->name);
  return TypedReshape(TypedCall("nn.bias_add", {reshape->args[0], vector}, {}, add->name), shape, reshape->name);
}

ExprPtr SumBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  if (add == nullptr) return nullptr;
  for (const size_t side : {0, 1}) {
    const Call* reshape = AsReshapedProduct(add->args[side]);
    const ExprPtr& other = add->args[1 - side];
    if (reshape == nullptr || relay::AsCallTo(reshape->args[0], "add") != nullptr) continue;
    if (relay::AsConstant(other) != nullptr || ShapeOf(other) != ShapeOf(add->args[side])) continue;
    const ExprPtr& product = reshape->args[0];
    const ExprPtr matrix = TypedReshape(other, ShapeOf(product), "");
    return TypedReshape(TypedCall("add", {product, matrix}, {}, add->name), ShapeOf(node), reshape->name);
  }
  return nullptr;
}

ExprPtr ActivationBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  Epilogue unused;
  if (call == nullptr || !SetActivation(node, unused)) return nullptr;
  const Call* reshape = AsReshapedProduct(call->args[0]);
  if (reshape == nullptr) return nullptr;
  const ExprPtr active = TypedCall(relay::AsOp(call->op)->def->name, {reshape->args[0]}, call->attrs, call->name);
  return TypedReshape(active, ShapeOf(node), reshape->name);
}

}  // namespace

const std::vector<Rule>& ProductRules() {
  static const std::vector<Rule> rules{BiasBeforeReshape, SumBeforeReshape, ActivationBeforeReshape};
  return rules;
}

// The scale, bias and rounding behind integer sums move before a reshape of them, into the kernel. A scalar or constant
// operand takes the form that the kernel reads: one value per column or channel.

namespace {

ExprPtr ReshapedTo(const ExprPtr& expr, const Shape& shape) {
  return ShapeOf(expr) == shape ? expr : TypedCall("reshape", {expr}, {{"newshape", shape}});
}

// The argument of a transpose that keeps columns in place, as when heads are joined; any other expression itself.
ExprPtr BehindTranspose(const ExprPtr& expr) {
  const Call* transpose = relay::AsCallTo(expr, "transpose");
  return transpose != nullptr && TransposeAxes(*transpose) == Axes{1, 0, 2} ? transpose->args[0] : expr;
}

const ExprPtr& BehindReshape(const ExprPtr& expr) {
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  return reshape != nullptr ? reshape->args[0] : expr;
}

// The matrix or batch of matrices that a dense layer or a batch_matmul of integers made. The expression is that matrix,
// or a reshape or such a transpose of it. Null for any other expression.
ExprPtr MatrixOf(const ExprPtr& expr) {
  if (expr->type->kind != relay::TypeKind::kTensor || !IsStatic(ShapeOf(expr)) || ShapeOf(expr).empty()) return nullptr;
  const ExprPtr matrix = BehindTranspose(BehindReshape(expr));
  const size_t rank = ShapeOf(matrix).size();
  const bool is_product = rank == 2 ? IsOfWhole("nn.dense", matrix) : IsOfWhole("nn.batch_matmul", matrix);
  return is_product && (rank == 2 || rank == 3) ? matrix : nullptr;
}

// `done`, computed elementwise from MatrixOf(expr), with the same moves that lead from there to `expr`.
ExprPtr MovedAs(const ExprPtr& expr, const ExprPtr& done) {
  const ExprPtr& turned = BehindReshape(expr);
  return ReshapedTo(BehindTranspose(turned) == turned ? done : Transposed(done, {1, 0, 2}), ShapeOf(expr));
}

bool SameColumns(const ExprPtr& matrix, const ExprPtr& reshaped) {
  return ShapeOf(matrix).back() == ShapeOf(reshaped).back();
}

// A vector of the operand's values, if it broadcasts over a reshape of the matrix only along the columns of both; else
// null.
ExprPtr PerColumn(const ExprPtr& operand, const ExprPtr& matrix, const ExprPtr& reshaped) {
  const Shape vector{ShapeOf(matrix).back()};
  const Shape &given = ShapeOf(operand), &shape = ShapeOf(reshaped);
  if (given.size() > shape.size()) return nullptr;
  if (ElementCount(given) == 1) {
    return FoldedIfConstant(
        TypedCall("broadcast_to", {FoldedIfConstant(ReshapedTo(operand, {1}))}, {{"shape", vector}}));
  }
  const bool last =
      SameColumns(matrix, reshaped) && given.back() == shape.back() && ElementCount(given) == shape.back();
  return last ? FoldedIfConstant(ReshapedTo(operand, vector)) : nullptr;
}

bool IsInt32(const ExprPtr& expr) { return expr->type->dtype == DType::kInt32; }

bool IsCastOfSums(const ExprPtr& matrix) {
  return relay::AsCallTo(matrix, "cast") != nullptr && IsInt32(relay::AsCall(matrix)->args[0]);
}

ExprPtr CastBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* cast = relay::AsCallTo(node, "cast");
  const ExprPtr matrix = cast != nullptr ? MatrixOf(cast->args[0]) : nullptr;
  if (matrix == nullptr || matrix == cast->args[0] || !IsInt32(matrix)) return nullptr;
  return MovedAs(cast->args[0], TypedCall("cast", {matrix}, cast->attrs, cast->name));
}

ExprPtr ScaleColumns(const ExprPtr& node, const Uses&) {
  const Call* multiply = relay::AsCallTo(node, "multiply");
  const ExprPtr matrix = multiply != nullptr ? MatrixOf(multiply->args[0]) : nullptr;
  if (matrix == nullptr || ShapeOf(multiply->args[0]) != ShapeOf(node)) return nullptr;
  const bool sums = IntegralProduct(matrix) != nullptr || relay::AsCallTo(matrix, "nn.batch_matmul") != nullptr;
  if (!sums && !IsCastOfSums(matrix)) return nullptr;
  const bool is_done = matrix == multiply->args[0] && ShapeOf(multiply->args[1]) == Shape{ShapeOf(matrix).back()};
  const ExprPtr scale = is_done ? nullptr : PerColumn(multiply->args[1], matrix, node);
  if (scale == nullptr) return nullptr;
  return MovedAs(multiply->args[0], TypedCall("multiply", {matrix, scale}, {}, multiply->name));
}

// Whether it casts a convolution's int32 sums, perhaps with offsets, to float32.
bool IsCastOfConv(const ExprPtr& expr) {
  if (!IsImage(expr) || !IsCastOfSums(expr)) return false;
  const ExprPtr& sums = relay::AsCall(expr)->args[0];
  const Call* add = relay::AsCallTo(sums, "nn.bias_add");
  return relay::AsCallTo(add != nullptr ? add->args[0] : sums, "nn.conv2d") != nullptr;
}

// One value, or one per channel, in the form that the image's kernel reads; null for any other operand.
ExprPtr PerChannelOperand(const ExprPtr& operand, const Shape& image) {
  const Shape channels{image[1], 1, 1};
  const Shape& given = ShapeOf(operand);
  if (!IsStatic(given)) return nullptr;
  if (given == Shape{1, image[1], 1, 1}) return FoldedIfConstant(ReshapedTo(operand, channels));
  if (ElementCount(given) != 1) return nullptr;
  return FoldedIfConstant(
      TypedCall("broadcast_to", {FoldedIfConstant(ReshapedTo(operand, {1, 1, 1}))}, {{"shape", channels}}));
}

ExprPtr ScaleChannels(const ExprPtr& node, const Uses&) {
  const Call* multiply = relay::AsCallTo(node, "multiply");
  if (multiply == nullptr || !IsCastOfConv(multiply->args[0])) return nullptr;
  const Shape& image = ShapeOf(node);
  if (ShapeOf(multiply->args[0]) != image || ShapeOf(multiply->args[1]) == Shape{image[1], 1, 1}) return nullptr;
  const ExprPtr scale = PerChannelOperand(multiply->args[1], image);
  return scale != nullptr ? TypedCall("multiply", {multiply->args[0], scale}, {}, multiply->name) : nullptr;
}

ExprPtr AddToChannels(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  const Call* multiply = add != nullptr ? relay::AsCallTo(add->args[0], "multiply") : nullptr;
  if (multiply == nullptr || !IsCastOfConv(multiply->args[0]) || ShapeOf(add->args[0]) != ShapeOf(node)) return nullptr;
  const auto bias = PerChannel(add->args[1], ShapeOf(node), 1);
  if (!bias) return nullptr;
  const ExprPtr vector = VectorConstant(*bias, relay::AsConstant(add->args[1])->name);
  return TypedCall("nn.bias_add", {add->args[0], vector}, {}, add->name);
}

// int32 sums take any vector, scaled sums only a constant.
ExprPtr AddToColumns(const ExprPtr& node, const Uses&) {
  const Call* add = relay::AsCallTo(node, "add");
  const ExprPtr matrix = add != nullptr ? MatrixOf(add->args[0]) : nullptr;
  if (matrix == nullptr || ShapeOf(matrix).size() == 3 || ShapeOf(add->args[0]) != ShapeOf(node)) return nullptr;
  const bool sums = relay::AsCallTo(matrix, "nn.dense") != nullptr && IsInt32(matrix);
  const bool scaled = relay::AsCallTo(matrix, "multiply") != nullptr && relay::AsConstant(add->args[1]) != nullptr;
  const ExprPtr bias = sums || scaled ? PerColumn(add->args[1], matrix, node) : nullptr;
  if (bias == nullptr) return nullptr;
  return ReshapedTo(TypedCall("nn.bias_add", {matrix, bias}, {}, add->name), ShapeOf(node));
}

ExprPtr RoundBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* round = relay::AsCallTo(node, "round");
  if (round == nullptr) return nullptr;
  const Call* divide = relay::AsCallTo(round->args[0], "divide");
  if (divide != nullptr && !ScalarOf(divide->args[1])) return nullptr;
  const ExprPtr& real = divide != nullptr ? divide->args[0] : round->args[0];
  const ExprPtr matrix = MatrixOf(real);
  if (matrix == nullptr || matrix == real || ShapeOf(real) != ShapeOf(node)) return nullptr;
  const ExprPtr quotient =
      divide != nullptr ? TypedCall("divide", {matrix, divide->args[1]}, {}, divide->name) : matrix;
  return MovedAs(real, TypedCall("round", {quotient}, {}, round->name));
}

// Whether it is rounded, perhaps with bounds and a zero point.
bool IsRounded(const ExprPtr& expr) {
  const Call* add = relay::AsCallTo(expr, "add");
  const ExprPtr& whole = add != nullptr && ScalarOf(add->args[1]) ? add->args[0] : expr;
  const Call* clip = relay::AsCallTo(whole, "clip");
  return relay::AsCallTo(clip != nullptr ? clip->args[0] : whole, "round") != nullptr;
}

ExprPtr BoundsBeforeReshape(const ExprPtr& node, const Uses&) {
  const Call* clip = relay::AsCallTo(node, "clip");
  const Call* add = relay::AsCallTo(node, "add");
  const Call* step = clip != nullptr ? clip : add != nullptr && ScalarOf(add->args[1]) ? add : nullptr;
  const ExprPtr matrix = step != nullptr ? MatrixOf(step->args[0]) : nullptr;
  if (matrix == nullptr || matrix == step->args[0] || !IsRounded(matrix)) return nullptr;
  if (ShapeOf(step->args[0]) != ShapeOf(node)) return nullptr;
  std::vector<ExprPtr> args = step->args;
  args[0] = matrix;
  return MovedAs(step->args[0], TypedCall(relay::AsOp(step->op)->def->name, args, step->attrs, step->name));
}

}  // namespace

const std::vector<Rule>& WholeProductRules() {
  static const std::vector<Rule> rules{CastBeforeReshape, ScaleColumns,       ScaleChannels,      AddToChannels,
                                       AddToColumns,      RoundBeforeReshape, BoundsBeforeReshape};
  return rules;
}

}  // namespace hone
