// Gemm and MatMul.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/matmul/onnx_product.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

bool IsInteger(const OnnxNodeView& view, const ExprPtr& expr) {
  const DType dtype = view.builder().DTypeOf(expr);
  return dtype == DType::kInt32 || dtype == DType::kInt64;
}

// Kernels of products are for floats and bytes. Products of wider integers are multiplications and a sum, which wrap
// like integers.
ExprPtr IntegerProduct(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) {
  const auto with_axis = [&](const ExprPtr& expr, int64_t from_end) {
    Shape shape = view.builder().ShapeOf(expr);
    shape.insert(shape.end() - from_end, 1);
    return view.Reshape(expr, shape);
  };
  const ExprPtr products = view.Call("multiply", {with_axis(a, 1), with_axis(b, 2)});
  return view.Call("sum", {products}, {{"axis", std::vector<int64_t>{-1}}});
}

ExprPtr Scaled(const OnnxNodeView& view, const ExprPtr& expr, double factor) {
  if (factor == 1) return expr;
  if (IsInteger(view, expr) && factor != std::trunc(factor)) {
    RefuseNode(fmt::format("a product of integers times {}; it must be an integer", factor));
  }
  return WithScalar(view, "multiply", expr, factor);
}

// The weight is units x inputs.
ExprPtr Dense(const OnnxNodeView& view, const ExprPtr& data, const ExprPtr& weight, bool integral = false) {
  if (IsInteger(view, data)) return IntegerProduct(view, data, weight);
  relay::Attrs attrs{{"units", view.builder().ShapeOf(weight)[0]}, {"integral", integral}};
  if (view.builder().DTypeOf(data) == DType::kUInt8) attrs.Set("out_dtype", std::string("int32"));
  return view.Call("nn.dense", {data, weight}, std::move(attrs));
}

// One value per unit is a bias, which kernels can fuse; any other C is added by broadcasting.
ExprPtr AddC(const OnnxNodeView& view, const ExprPtr& product, const ExprPtr& c, int64_t units) {
  const Shape& shape = view.builder().ShapeOf(c);
  const bool per_unit = !shape.empty() && shape.size() <= 2 && shape.back() == units && ElementCount(shape) == units;
  if (!per_unit || IsInteger(view, c)) return view.Call("add", {product, c});
  return view.Call("nn.bias_add", {product, view.Reshape(c, {units})});
}

std::vector<ExprPtr> Gemm(const OnnxNodeView& view) {
  ExprPtr a = view.Input(0);
  ExprPtr b = view.Input(1);
  if (view.InputRank(0) != 2 || view.InputRank(1) != 2) {
    RefuseNode(fmt::format("A is {} and B is {}; both must be matrices", ShapeText(view.InputShape(0)),
                           ShapeText(view.InputShape(1))));
  }
  if (view.Int("transA", 0) != 0) a = TransposedMatrix(view, a);
  if (view.Int("transB", 0) == 0) b = TransposedMatrix(view, b);
  const ExprPtr product = Scaled(view, Dense(view, a, b), view.Float("alpha", 1));
  const double beta = view.Float("beta", 1);
  if (!view.HasInput(2) || beta == 0) return {product};
  return {AddC(view, product, Scaled(view, view.Input(2), beta), view.builder().ShapeOf(b)[0])};
}

// Whether joining the axes before `end` would put gaps between counted elements: another than the leading one ends
// early.
bool JoinsWithGaps(const OnnxNodeView& view, const ExprPtr& expr, size_t end) {
  const Counts& counts = view.builder().CountsOf(expr);
  const Shape& shape = view.builder().ShapeOf(expr);
  bool leads = true;
  for (size_t d = 0; d < std::min(end, counts.size()); ++d) {
    if (counts[d] != nullptr && !leads) return true;
    leads = leads && shape[d] == 1;
  }
  return false;
}

// Joins all axes but the last `stay` into one, of which every element counts. Rows and matrices are computed apart.
ExprPtr JoinedWithGaps(const OnnxNodeView& view, const ExprPtr& expr, size_t stay) {
  TypedBuilder& builder = view.builder();
  const Shape& shape = builder.ShapeOf(expr);
  const auto split = shape.end() - static_cast<std::ptrdiff_t>(stay);
  Shape joined(split, shape.end());
  joined.insert(joined.begin(), ElementCount(Shape(shape.begin(), split)));
  Counts counts = builder.CountsOf(expr);
  counts.resize(shape.size());
  counts.erase(counts.begin(), counts.end() - static_cast<std::ptrdiff_t>(stay));
  counts.insert(counts.begin(), nullptr);
  const ExprPtr result = builder.Uncounted("reshape", {expr}, {{"newshape", joined}});
  builder.SetCounts(result, std::move(counts));
  return result;
}

// Splits the first axis of a product again, into axes with the counts `lead`.
ExprPtr SplitWithGaps(const OnnxNodeView& view, const ExprPtr& product, const Shape& shape, Counts lead) {
  TypedBuilder& builder = view.builder();
  const size_t stay = builder.ShapeOf(product).size() - 1;
  Counts counts = builder.CountsOf(product);
  counts.resize(stay + 1);
  lead.resize(shape.size() - stay);
  lead.insert(lead.end(), counts.begin() + 1, counts.end());
  const ExprPtr result = builder.Uncounted("reshape", {product}, {{"newshape", shape}});
  builder.SetCounts(result, std::move(lead));
  return result;
}

// a is ... x M x K and b is K x N. The leading dimensions of a become rows.
ExprPtr TimesMatrix(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b, bool integral) {
  Shape shape = view.builder().ShapeOf(a);
  const int64_t inner = shape.back();
  shape.pop_back();
  const bool gaps = JoinsWithGaps(view, a, shape.size());
  const ExprPtr rows = gaps ? JoinedWithGaps(view, a, 1) : view.Reshape(a, {ElementCount(shape), inner});
  shape.push_back(view.builder().ShapeOf(b)[1]);
  if (gaps) {
    Counts lead = view.builder().CountsOf(a);
    lead.pop_back();
    return SplitWithGaps(view, Dense(view, rows, TransposedMatrix(view, b), integral), shape, std::move(lead));
  }
  return view.Reshape(Dense(view, rows, TransposedMatrix(view, b), integral), shape);
}

Shape BroadcastBatch(const Shape& a, const Shape& b) {
  Shape batch(std::max(a.size(), b.size()) - 2, 1);
  for (const Shape* shape : {&a, &b}) {
    const size_t lead = batch.size() - (shape->size() - 2);
    for (size_t i = 0; i + 2 < shape->size(); ++i) {
      int64_t& dim = batch[lead + i];
      if (dim != 1 && (*shape)[i] != 1 && dim != (*shape)[i]) {
        RefuseNode(fmt::format("{} and {} do not broadcast", ShapeText(a), ShapeText(b)));
      }
      if (dim == 1) dim = (*shape)[i];
    }
  }
  return batch;
}

// A run may count 1 where the other operand has more, and the matrix would be repeated.
void RefuseCountedBesideKnown(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) {
  const int64_t a_rank = static_cast<int64_t>(view.builder().ShapeOf(a).size());
  const int64_t b_rank = static_cast<int64_t>(view.builder().ShapeOf(b).size());
  for (int64_t behind = 3; behind <= std::min(a_rank, b_rank); ++behind) {
    const bool counted = IsCounted(view.builder(), a, a_rank - behind);
    if (counted == IsCounted(view.builder(), b, b_rank - behind)) continue;
    const int64_t known = Nth(view.builder().ShapeOf(counted ? b : a), (counted ? b_rank : a_rank) - behind);
    if (known != 1) RefuseNode(fmt::format("a batch whose extent is counted in a run and one of {}", known));
  }
}

// Broadcasts the batch dimensions.
ExprPtr WithBatch(const OnnxNodeView& view, const ExprPtr& expr, const Shape& batch) {
  const Shape& shape = view.builder().ShapeOf(expr);
  Shape full = batch;
  full.insert(full.end(), shape.end() - 2, shape.end());
  return full == shape ? expr : view.Call("broadcast_to", {expr}, {{"shape", full}});
}

// The counts of two operands' batch dimensions. A dimension of 1 that is repeated has none.
Counts BatchCounts(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) {
  Counts counts = view.builder().CountsOf(a);
  const Counts& more = view.builder().CountsOf(b);
  counts.resize(view.builder().ShapeOf(a).size());
  for (size_t d = 0; d < more.size(); ++d) {
    if (counts[d] != nullptr && more[d] != nullptr && d + 2 < more.size())
      view.builder().RequireEqual(counts[d], more[d]);
    if (counts[d] == nullptr) counts[d] = more[d];
  }
  counts.resize(counts.size() - 2);
  return counts;
}

ExprPtr BatchMatMul(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b, bool integral,
                    const ExprPtr& zero_points) {
  const Shape a_shape = view.builder().ShapeOf(a);
  const Shape b_shape = view.builder().ShapeOf(b);
  Shape result = BroadcastBatch(a_shape, b_shape);
  RefuseCountedBesideKnown(view, a, b);
  const ExprPtr left = WithBatch(view, a, result), right = WithBatch(view, b, result);
  const bool gaps = JoinsWithGaps(view, left, result.size()) || JoinsWithGaps(view, right, result.size());
  // The batch dimensions become one.
  const auto batched = [&](const ExprPtr& expr) {
    const Shape& shape = view.builder().ShapeOf(expr);
    return gaps ? JoinedWithGaps(view, expr, 2)
                : view.Reshape(expr, {ElementCount(result), shape[shape.size() - 2], shape.back()});
  };
  const ExprPtr lhs = batched(left), rhs = batched(right);
  result.push_back(a_shape[a_shape.size() - 2]);
  result.push_back(b_shape.back());
  const auto split = [&](const ExprPtr& product) {
    return gaps ? SplitWithGaps(view, product, result, BatchCounts(view, left, right)) : view.Reshape(product, result);
  };
  if (IsInteger(view, a)) {
    const ExprPtr columns = view.Call("transpose", {rhs}, {{"axes", std::vector<int64_t>{0, 2, 1}}});
    return split(IntegerProduct(view, lhs, columns));
  }
  relay::Attrs attrs{{"transpose_b", false}, {"integral", integral}};
  std::vector<ExprPtr> args{lhs, rhs};
  if (zero_points != nullptr) {
    args.push_back(zero_points);
    attrs.Set("out_dtype", std::string("int32"));
  }
  return split(view.Call("nn.batch_matmul", std::move(args), std::move(attrs)));
}

std::vector<ExprPtr> MatMul(const OnnxNodeView& view) {
  return {MatrixProduct(view, view.Input(0), view.Input(1), false)};
}

}  // namespace

ExprPtr TransposedMatrix(const OnnxNodeView& view, const ExprPtr& matrix) {
  const relay::Call* turned = relay::AsCallTo(matrix, "transpose");
  if (turned != nullptr && turned->attrs.GetInts("axes") == std::vector<int64_t>{1, 0}) return turned->args[0];
  return view.Call("transpose", {matrix}, {{"axes", std::vector<int64_t>{1, 0}}});
}

ExprPtr RowsByRows(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) {
  if (view.builder().ShapeOf(a).size() == 2) return Dense(view, a, b);
  return IsInteger(view, a) ? IntegerProduct(view, a, b) : view.Call("nn.batch_matmul", {a, b});
}

ExprPtr MatrixProduct(const OnnxNodeView& view, ExprPtr a, ExprPtr b, bool integral, const ExprPtr& zero_points) {
  const size_t a_rank = view.builder().ShapeOf(a).size(), b_rank = view.builder().ShapeOf(b).size();
  if (a_rank == 0 || b_rank == 0) RefuseNode("a scalar is no matrix");
  const bool row = a_rank == 1;
  const bool column = b_rank == 1;
  if (row) a = view.Reshape(a, {1, view.builder().ShapeOf(a)[0]});
  if (column) b = view.Reshape(b, {view.builder().ShapeOf(b)[0], 1});
  const auto depth = [&](const ExprPtr& expr, int64_t from_end) {
    return static_cast<int64_t>(view.builder().ShapeOf(expr).size()) - from_end;
  };
  const std::vector<ExprPtr> fitting = WithOneDim(view.builder(), {a, b}, {depth(a, 1), depth(b, 2)});
  a = fitting[0];
  b = fitting[1];
  const Shape a_shape = view.builder().ShapeOf(a);
  const Shape b_shape = view.builder().ShapeOf(b);
  if (a_shape.back() != b_shape[b_shape.size() - 2]) {
    RefuseNode(fmt::format("{} times {} cannot be", ShapeText(a_shape), ShapeText(b_shape)));
  }
  const bool one_matrix = zero_points == nullptr && ElementCount({b_shape.begin(), b_shape.end() - 2}) == 1 &&
                          a_shape.size() >= b_shape.size();
  const Shape matrix(b_shape.end() - 2, b_shape.end());
  const ExprPtr product = one_matrix ? TimesMatrix(view, a, view.Reshape(b, matrix), integral)
                                     : BatchMatMul(view, a, b, integral, zero_points);
  Shape shape = view.builder().ShapeOf(product);
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  return view.Reshape(product, shape);
}

OnnxOperatorTable LinearOperators() {
  return {
      {"Gemm",
       2,
       3,
       Gemm,
       {"alpha", "beta", "transA", "transB"},
       {.becomes = "multiply nn.bias_add nn.dense reshape sum transpose", .takes_counts = true}},
      {"MatMul",
       2,
       2,
       MatMul,
       {},
       {.becomes = "broadcast_to multiply nn.dense reshape sum transpose", .takes_counts = true}},
  };
}

}  // namespace hone
