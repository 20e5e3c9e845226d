// Attention splits the rows of a matrix into heads and joins them again, by reshapes and transposes around products. A
// transpose of rank 3 next to a product becomes the order in which a kernel reads or writes a matrix:
//
//    (B, M, H * K) -> reshape (B, M, H, K) -> transpose (B, H, M, K) -> reshape (B * H, M, K) -> batch_matmul
//    becomes, for B = 1
//    (1, M, H * K) -> reshape (M, H, K) -> transpose (H, M, K) -> batch_matmul
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Rules do not look again at nodes inside their own result. So identities and reshapes of reshapes are dropped here.
ExprPtr JoinedReshape(const ExprPtr& expr, const Shape& shape) {
  const Call* inner = relay::AsCallTo(expr, "reshape");
  const ExprPtr& from = inner ? inner->args[0] : expr;
  return ShapeOf(from) == shape ? from : TypedCall("reshape", {from}, {{"newshape", shape}});
}

// The remaining axes of a tensor of matrices whose batch axes are joined into one. They are rows, columns, and the only
// batch axis of more than one matrix. Empty if there are several.
std::vector<size_t> MatrixAxes(const Shape& shape) {
  if (shape.size() < 3) return {};
  size_t batch = 0;
  int64_t larger = 0;
  for (size_t d = 0; d + 2 < shape.size(); ++d) {
    if (shape[d] != 1) batch = d;
    larger += shape[d] != 1 ? 1 : 0;
  }
  return larger > 1 ? std::vector<size_t>() : std::vector<size_t>{batch, shape.size() - 2, shape.size() - 1};
}

// A transpose restricted to those axes of its result; its other axes have one position.
struct Narrow {
  Shape shape;                // of the argument
  std::vector<int64_t> axes;  // of the transpose
};
Narrow Narrowed(const Call& transpose, const std::vector<size_t>& kept) {
  const std::vector<int64_t> axes = TransposeAxes(transpose);
  std::vector<int64_t> sources;
  sources.reserve(kept.size());
  for (const size_t d : kept) sources.push_back(axes[d]);
  std::vector<int64_t> in_order = sources;
  std::sort(in_order.begin(), in_order.end());
  Narrow narrow;
  for (const int64_t d : in_order) narrow.shape.push_back(Nth(ShapeOf(transpose.args[0]), d));
  for (const int64_t d : sources) {
    narrow.axes.push_back(std::find(in_order.begin(), in_order.end(), d) - in_order.begin());
  }
  return narrow;
}

// The transpose that the operand is, or of which it is a reshape with the same matrices; else null.
const Call* TransposeOf(const ExprPtr& operand) {
  const Call* reshape = relay::AsCallTo(operand, "reshape");
  const Call* transpose = relay::AsCallTo(reshape ? reshape->args[0] : operand, "transpose");
  if (transpose == nullptr) return nullptr;
  const Shape &from = transpose->type->shape, &to = ShapeOf(operand);
  const bool same = from.size() >= 3 && std::equal(to.end() - 2, to.end(), from.end() - 2);
  return same ? transpose : nullptr;
}

ExprPtr WithOperand(const Call& matmul, size_t i, ExprPtr operand, bool swapped) {
  std::vector<ExprPtr> args = matmul.args;
  args[i] = std::move(operand);
  relay::Attrs attrs = matmul.attrs;
  const char* name = i == 0 ? "transpose_a" : "transpose_b";
  if (swapped) attrs.Set(name, !matmul.attrs.GetBool(name, i == 1));
  return TypedCall("nn.batch_matmul", std::move(args), std::move(attrs), matmul.name);
}

ExprPtr NarrowOperand(const ExprPtr& node, const Uses&) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  for (size_t i = 0; matmul != nullptr && i < 2; ++i) {
    const Call* transpose = TransposeOf(matmul->args[i]);
    if (transpose == nullptr || transpose->type->shape.size() == 3) continue;
    const std::vector<size_t> kept = MatrixAxes(transpose->type->shape);
    if (kept.empty()) continue;
    const Narrow narrow = Narrowed(*transpose, kept);
    ExprPtr moved = TypedCall("transpose", {JoinedReshape(transpose->args[0], narrow.shape)}, {{"axes", narrow.axes}},
                              transpose->name);
    return WithOperand(*matmul, i, std::move(moved), false);
  }
  return nullptr;
}

// If the last axis does not stay last, the product swaps rows and columns instead.
ExprPtr SwapInProduct(const ExprPtr& node, const Uses&) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  for (size_t i = 0; matmul != nullptr && i < 2; ++i) {
    const Call* transpose = TransposeOf(matmul->args[i]);
    // Kernels of bytes read rows whose elements are neighbours.
    if (transpose == nullptr || (i == 0 && node->type->dtype == DType::kInt32)) continue;
    std::vector<int64_t> axes = TransposeAxes(*transpose);
    const size_t rank = axes.size();
    if (axes[rank - 2] + 1 != static_cast<int64_t>(rank)) continue;
    std::swap(axes[rank - 2], axes[rank - 1]);
    Shape shape = ShapeOf(matmul->args[i]);
    std::swap(shape[1], shape[2]);
    const ExprPtr moved = Transposed(transpose->args[0], axes, transpose->name);
    return WithOperand(*matmul, i, JoinedReshape(moved, shape), true);
  }
  return nullptr;
}

// where(position < n, x, number) with constant positions along one axis.
struct PositionMask {
  const Call *where = nullptr, *less = nullptr;
  int64_t from_last = 0, extent = 0;  // the axis, counted from the last one
};
std::optional<PositionMask> PositionMaskOf(const ExprPtr& expr) {
  const Call* where = relay::AsCallTo(expr, "where");
  const Call* less = where == nullptr ? nullptr : relay::AsCallTo(where->args[0], "less");
  const relay::Constant* positions = less == nullptr ? nullptr : relay::AsConstant(less->args[0]);
  if (positions == nullptr || !ScalarOf(where->args[2]) || ElementCount(ShapeOf(less->args[1])) != 1) return {};
  if (ShapeOf(where->args[1]) != ShapeOf(expr) || positions->value.elements() < 2) return {};
  const Shape& places = positions->value.shape();
  const int64_t extent = positions->value.elements();
  const auto along = std::find(places.rbegin(), places.rend(), extent) - places.rbegin();
  return along < static_cast<int64_t>(places.size()) ? std::optional(PositionMask{where, less, along, extent})
                                                     : std::nullopt;
}

// The mask of another value, along an axis of it.
ExprPtr MaskedAlong(const PositionMask& mask, const ExprPtr& value, size_t axis) {
  Shape places(ShapeOf(value).size(), 1);
  places[axis] = mask.extent;
  const ExprPtr positions = FoldedIfConstant(JoinedReshape(mask.less->args[0], places));
  return TypedCall("where", {TypedCall("less", {positions, mask.less->args[1]}), value, mask.where->args[2]}, {},
                   mask.where->name);
}

// The axis of `to` that is axis `from_last` of `from`, if both have the same dimensions but for ones; else nullopt.
std::optional<size_t> SameAxis(const Shape& from, int64_t from_last, const Shape& to) {
  const auto larger = [](Shape shape) { return std::erase(shape, 1), shape; };
  if (larger(from) != larger(to)) return {};
  auto rest = std::count_if(from.end() - from_last, from.end(), [](int64_t dim) { return dim != 1; });
  for (size_t axis = to.size(); axis-- > 0;) {
    if (to[axis] != 1 && rest-- == 0) return axis;
  }
  return {};
}

// An operand that is masked, and then transposed or not, has its mask on matrices, which the kernel may read through.
ExprPtr MaskInMatrices(const ExprPtr& node, const Uses& uses) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  for (size_t i = 0; matmul != nullptr && i < 2; ++i) {
    const Call* transpose = AsTranspose(matmul->args[i]);
    const ExprPtr& read = transpose == nullptr ? matmul->args[i] : transpose->args[0];
    const Call* reshape = relay::AsCallTo(read, "reshape");
    const auto mask =
        reshape != nullptr && uses.Of(reshape->args[0]) == 1 ? PositionMaskOf(reshape->args[0]) : std::nullopt;
    const auto axis = mask ? SameAxis(ShapeOf(reshape->args[0]), mask->from_last, ShapeOf(read)) : std::nullopt;
    if (!axis) continue;
    const ExprPtr masked = MaskedAlong(*mask, JoinedReshape(mask->where->args[1], ShapeOf(read)), *axis);
    return WithOperand(*matmul, i, transpose == nullptr ? masked : WithArgs(*transpose, {masked}), false);
  }
  return nullptr;
}

// An operand that is masked behind a transpose, along its rows or columns, is masked in front of it.
ExprPtr MaskBeforeTranspose(const ExprPtr& node, const Uses& uses) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  for (size_t i = 0; matmul != nullptr && i < 2; ++i) {
    const auto mask = uses.Of(matmul->args[i]) == 1 ? PositionMaskOf(matmul->args[i]) : std::nullopt;
    const Call* transpose = mask && mask->from_last < 2 ? TransposeOf(mask->where->args[1]) : nullptr;
    if (transpose == nullptr) continue;
    const std::vector<int64_t> axes = TransposeAxes(*transpose);
    const int64_t axis = Nth(axes, static_cast<int64_t>(axes.size()) - 1 - mask->from_last);
    const ExprPtr masked = MaskedAlong(*mask, transpose->args[0], static_cast<size_t>(axis));
    const ExprPtr turned = Transposed(masked, axes, transpose->name);
    return WithOperand(*matmul, i, JoinedReshape(turned, ShapeOf(matmul->args[i])), false);
  }
  return nullptr;
}

// For heads that are joined again: rows and batches swap before the reshape.
ExprPtr TransposeProduct(const ExprPtr& node, const Uses&) {
  const Call* transpose = relay::AsCallTo(node, "transpose");
  const Call* reshape = transpose ? relay::AsCallTo(transpose->args[0], "reshape") : nullptr;
  if (reshape == nullptr || relay::AsCallTo(reshape->args[0], "nn.batch_matmul") == nullptr) return nullptr;
  const Shape &product = ShapeOf(reshape->args[0]), &shape = reshape->type->shape;
  const std::vector<size_t> kept = MatrixAxes(shape);
  if (kept.empty() || Shape{shape[kept[0]], shape[kept[1]], shape[kept[2]]} != product) return nullptr;
  std::vector<int64_t> axes;
  for (const int64_t d : TransposeAxes(*transpose)) {
    const auto at = std::find(kept.begin(), kept.end(), static_cast<size_t>(d));
    if (at != kept.end()) axes.push_back(at - kept.begin());
  }
  if (axes != std::vector<int64_t>{1, 0, 2}) return nullptr;
  return JoinedReshape(Transposed(reshape->args[0], axes, transpose->name), ShapeOf(node));
}

// A computed weight cannot be packed before the model runs, so the dense layer becomes nn.batch_matmul.
ExprPtr DenseOfComputed(const ExprPtr& node, const Uses&) {
  const Call* dense = relay::AsCallTo(node, "nn.dense");
  if (dense == nullptr || AsAnchor(node) == nullptr || relay::AsConstant(dense->args[1]) != nullptr) return nullptr;
  // A product of bytes would need their zero points.
  if (!relay::IsFloatTensor(node->type)) return nullptr;
  const Call* transpose = relay::AsCallTo(dense->args[1], "transpose");
  const bool swapped = transpose != nullptr && TransposeAxes(*transpose) == std::vector<int64_t>{1, 0};
  const ExprPtr& weight = swapped ? transpose->args[0] : dense->args[1];
  const auto batch_of_one = [](const ExprPtr& matrix) {
    return JoinedReshape(matrix, {1, ShapeOf(matrix)[0], ShapeOf(matrix)[1]});
  };
  const ExprPtr product = TypedCall("nn.batch_matmul", {batch_of_one(dense->args[0]), batch_of_one(weight)},
                                    {{"transpose_b", !swapped},
                                     {"integral", dense->attrs.GetBool("integral")},
                                     {"keep_float32", dense->attrs.GetBool("keep_float32")}},
                                    dense->name);
  return JoinedReshape(product, ShapeOf(node));
}

// Number of last batch axes along which a broadcast repeats its matrices; 0 if it repeats other axes too, or rows.
size_t RepeatedAxes(const Shape& from, const Shape& to) {
  const size_t added = to.size() - from.size(), batch = to.size() - 2;
  const auto extent = [&](size_t d) { return d < added ? 1 : from[d - added]; };
  if (to.size() < 3 || extent(batch) != to[batch] || extent(batch + 1) != to[batch + 1]) return 0;
  size_t repeated = 0;
  while (repeated < batch && extent(batch - 1 - repeated) == 1) ++repeated;
  for (size_t d = 0; d + repeated < batch; ++d) {
    if (extent(d) != to[d]) return 0;
  }
  return repeated;
}

// Groups of matrices of which each is repeated: a reshape of a broadcast becomes one of (groups, 1, rows, columns).
ExprPtr RepeatedMatrices(const ExprPtr& node, const Uses&) {
  const Call* reshape = relay::AsCallTo(node, "reshape");
  const Call* repeat = reshape ? relay::AsCallTo(reshape->args[0], "broadcast_to") : nullptr;
  if (repeat == nullptr || ShapeOf(node).size() != 3) return nullptr;
  const Shape &to = repeat->type->shape, &all = ShapeOf(node);
  const size_t repeated = RepeatedAxes(ShapeOf(repeat->args[0]), to);
  if (repeated == 0 || !std::equal(to.end() - 2, to.end(), all.end() - 2)) return nullptr;
  const int64_t count = ElementCount({to.end() - 2 - static_cast<int64_t>(repeated), to.end() - 2});
  const Shape one{all[0] / count, 1, all[1], all[2]}, each{all[0] / count, count, all[1], all[2]};
  if (count == 1 || ShapeOf(repeat->args[0]) == one) return nullptr;
  return JoinedReshape(
      TypedCall("broadcast_to", {JoinedReshape(repeat->args[0], one)}, {{"shape", each}}, repeat->name), all);
}

// Heads that share one right matrix become rows of one product, so that the matrix is not written once per head.
ExprPtr SharedWeight(const ExprPtr& node, const Uses&) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  if (matmul == nullptr || matmul->args.size() != 2 || matmul->attrs.GetBool("transpose_a")) return nullptr;
  const Call* reshape = relay::AsCallTo(matmul->args[1], "reshape");
  const Call* repeat = relay::AsCallTo(reshape ? reshape->args[0] : matmul->args[1], "broadcast_to");
  if (repeat == nullptr) return nullptr;
  const Shape &to = repeat->type->shape, &weight = ShapeOf(matmul->args[1]), &data = ShapeOf(matmul->args[0]);
  const size_t repeated = RepeatedAxes(ShapeOf(repeat->args[0]), to);
  if (repeated == 0 || !std::equal(to.end() - 2, to.end(), weight.end() - 2) || data[0] != weight[0]) return nullptr;
  const auto heads = to.end() - 2 - static_cast<int64_t>(repeated);
  const int64_t count = ElementCount({heads, to.end() - 2}), groups = weight[0] / count;
  const ExprPtr rows = JoinedReshape(matmul->args[0], {groups, count * data[1], data[2]});
  const ExprPtr one = JoinedReshape(repeat->args[0], {groups, weight[1], weight[2]});
  return JoinedReshape(TypedCall("nn.batch_matmul", {rows, one}, matmul->attrs, matmul->name), ShapeOf(node));
}

// The product below reshapes that only this expression reads, or null.
const Call* ProductBelow(const ExprPtr& expr, const Uses& uses) {
  if (uses.Of(expr) != 1) return nullptr;
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  return reshape != nullptr ? ProductBelow(reshape->args[0], uses) : relay::AsCallTo(expr, "nn.batch_matmul");
}

const Call* AsMove(const ExprPtr& expr) {
  for (const char* op : {"reshape", "transpose", "broadcast_to"}) {
    if (const Call* move = relay::AsCallTo(expr, op)) return move;
  }
  return nullptr;
}

// The factor of a product with a number, or of a quotient by one; nullopt for any other call.
std::optional<double> FactorOf(const Call& call) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  if (op != "multiply" && op != "divide") return std::nullopt;
  const auto number = ScalarOf(call.args[1]);
  return !number || op == "multiply" ? number : 1 / *number;
}

// The product of floats with one normal number that the operand is, through moves. Only the operand may read any of
// them. Null if there is none.
const Call* ScaleOf(const ExprPtr& operand, const Uses& uses) {
  const Call* call = relay::AsCall(operand);
  if (call == nullptr || uses.Of(operand) != 1) return nullptr;
  if (const Call* move = AsMove(operand)) return ScaleOf(move->args[0], uses);
  const auto factor = FactorOf(*call);
  const bool floats =
      factor && operand->type->dtype == DType::kFloat32 && call->args[1]->type->dtype == DType::kFloat32;
  return floats && ShapeOf(call->args[0]) == ShapeOf(operand) && std::isnormal(*factor) ? call : nullptr;
}

// The operand with another factor in place of that of ScaleOf; 1: none.
ExprPtr Rescaled(const ExprPtr& operand, double factor) {
  const Call& call = *relay::AsCall(operand);
  if (relay::AsCallTo(operand, "reshape") != nullptr)
    return JoinedReshape(Rescaled(call.args[0], factor), ShapeOf(operand));
  if (AsMove(operand) != nullptr) return WithArgs(call, {Rescaled(call.args[0], factor)});
  return factor == 1 ? call.args[0] : TypedCall("multiply", {call.args[0], ScalarConstant(factor)}, {}, call.name);
}

// The operand times the call's factor. Kernels read operands through moves, so the multiplication goes before them. The
// factor may have more axes than the operand.
ExprPtr ScaledOperand(const ExprPtr& operand, const Call& multiply, const Uses& uses) {
  const Call* move = relay::AsCallTo(operand, "reshape");
  if (move == nullptr) move = relay::AsCallTo(operand, "transpose");
  if (move != nullptr && uses.Of(operand) == 1) return WithArgs(*move, {ScaledOperand(move->args[0], multiply, uses)});
  Tensor factor(multiply.args[1]->type->dtype, {});
  factor.Set(0, *ScalarOf(multiply.args[1]));
  return TypedCall("multiply", {operand, relay::MakeConstant(std::move(factor))}, {}, multiply.name);
}

// Exporters scale queries and keys each. The keys of a cache are many, and its last ones alone are new, so that the
// queries take both factors.
ExprPtr ScaleQueriesAlone(const ExprPtr& node, const Uses& uses) {
  const Call* matmul = relay::AsCallTo(node, "nn.batch_matmul");
  if (matmul == nullptr || matmul->args.size() != 2 || matmul->attrs.GetBool("integral")) return nullptr;
  const Call *left = ScaleOf(matmul->args[0], uses), *right = ScaleOf(matmul->args[1], uses);
  if (right == nullptr || !IsStatic(ShapeOf(matmul->args[0])) || !IsStatic(ShapeOf(matmul->args[1]))) return nullptr;
  const double factor = *FactorOf(*right), both = left ? factor * *FactorOf(*left) : factor;
  const bool fewer = ElementCount(ShapeOf(matmul->args[0])) <= ElementCount(ShapeOf(matmul->args[1]));
  if ((left == nullptr && !fewer) || !std::isnormal(static_cast<float>(both))) return nullptr;
  const ExprPtr scale = TypedCall("multiply", {right->args[0], ScalarConstant(factor)}, {}, right->name);
  const ExprPtr queries =
      left ? Rescaled(matmul->args[0], both) : ScaledOperand(matmul->args[0], *relay::AsCall(scale), uses);
  return WithArgs(*matmul, {queries, Rescaled(matmul->args[1], 1)});
}

ExprPtr WithProduct(const ExprPtr& at, const ExprPtr& product) {
  const Call* reshape = relay::AsCallTo(at, "reshape");
  return reshape != nullptr ? WithArgs(*reshape, {WithProduct(reshape->args[0], product)}) : product;
}

// A number that scales a product much larger than one of its operands scales that operand instead.
ExprPtr ScaleSmallOperand(const ExprPtr& node, const Uses& uses) {
  constexpr int64_t kSmaller = 16;
  const Call* multiply = relay::AsCallTo(node, "multiply");
  if (multiply == nullptr || !ScalarOf(multiply->args[1]) || ShapeOf(multiply->args[0]) != ShapeOf(node))
    return nullptr;
  const Call* matmul = ProductBelow(multiply->args[0], uses);
  if (matmul == nullptr || matmul->attrs.GetBool("integral") || !IsStatic(ShapeOf(node))) return nullptr;
  std::vector<ExprPtr> args = matmul->args;
  const auto elements = [](const ExprPtr& expr) { return ElementCount(ShapeOf(expr)); };
  ExprPtr& operand = elements(args[1]) < elements(args[0]) ? args[1] : args[0];
  const bool of_its_type = operand->type->dtype == node->type->dtype && relay::IsFloatTensor(node->type);
  if (!of_its_type || elements(operand) * kSmaller > elements(node)) return nullptr;
  operand = ScaledOperand(operand, *multiply, uses);
  return WithProduct(multiply->args[0], WithArgs(*matmul, std::move(args)));
}

}  // namespace

const std::vector<Rule>& MatmulRules() {
  static const std::vector<Rule> rules{MaskInMatrices,  MaskBeforeTranspose, NarrowOperand,
                                       SwapInProduct,   TransposeProduct,    RepeatedMatrices,
                                       DenseOfComputed, ScaleQueriesAlone,   ScaleSmallOperand};
  return rules;
}

const std::vector<Rule>& SharedMatrixRules() {
  static const std::vector<Rule> rules{SharedWeight};
  return rules;
}

}  // namespace hone
