// ONNX Runtime's matrix products with the transposes, scales and activations that its optimizer merges into them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/merged_activation.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

std::vector<ExprPtr> FusedGemm(const OnnxNodeView& view) {
  const ExprPtr y = Composed(view, "Gemm", view.inputs(), AttributesOf(view, {"alpha", "beta", "transA", "transB"}));
  return {MergedActivation(view, y)};
}

// A factor whose rows are its first axis, if `rows_first`, and whose last two axes change places, if `transposed`.
//   rows first: M x batch x K becomes batch x M x K
ExprPtr TransposedFactor(const OnnxNodeView& view, int input, bool rows_first, bool transposed) {
  const auto rank = static_cast<size_t>(view.InputRank(input));
  if (rank < 2) return view.Input(input);
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (rows_first) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (transposed) std::swap(axes[rank - 1], axes[rank - 2]);
  if (std::ranges::is_sorted(axes)) return view.Input(input);
  return view.Call("transpose", {view.Input(input)}, {{"axes", axes}});
}

ExprPtr TransposedProduct(const OnnxNodeView& view) {
  const auto is_set = [&](std::string_view name) { return view.Int(name, 0) != 0; };
  const ExprPtr product = Composed(view, "MatMul",
                                   {TransposedFactor(view, 0, is_set("transBatchA"), is_set("transA")),
                                    TransposedFactor(view, 1, is_set("transBatchB"), is_set("transB"))});
  const double alpha = view.Float("alpha", 1);
  return alpha == 1 ? product : WithScalar(view, "multiply", product, alpha);
}

std::vector<ExprPtr> FusedMatMul(const OnnxNodeView& view) { return {TransposedProduct(view)}; }

std::vector<ExprPtr> FusedMatMulActivation(const OnnxNodeView& view) {
  return {MergedActivation(view, TransposedProduct(view))};
}

// The distances between the rows of two matrices, from |a|^2 + |b|^2 - 2 a b.
std::vector<ExprPtr> CDist(const OnnxNodeView& view) {
  const std::string metric = view.String("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") {
    RefuseNode(fmt::format("metric=\"{}\" is not supported; \"sqeuclidean\" and \"euclidean\" are", metric));
  }
  if (view.InputRank(0) != 2 || view.InputRank(1) != 2) RefuseNode("both inputs must be matrices");
  const auto squares = [&](int input, const Shape& shape) {
    const ExprPtr& x = view.Input(input);
    return view.Reshape(view.Call("sum", {view.Call("multiply", {x, x})}, {{"axis", std::vector<int64_t>{1}}}), shape);
  };
  const ExprPtr products =
      Composed(view, "Gemm", {view.Input(0), view.Input(1)}, {{"alpha", NodeFloat(-2)}, {"transB", NodeInt(1)}});
  const ExprPtr sums = view.Call("add", {view.Call("add", {products, squares(0, {view.InputShape(0)[0], 1})}),
                                         squares(1, {1, view.InputShape(1)[0]})});
  const ExprPtr distances = view.Call("nn.relu", {sums});
  return {metric == "euclidean" ? view.Call("sqrt", {distances}) : distances};
}

// Products of complex numbers, whose real and imaginary parts are the last axis; of b's conjugate if `sign` is -1.
ExprPtr ComplexProduct(const OnnxNodeView& view, double sign) {
  const auto part = [&](int input, int64_t which) {
    const Shape& shape = view.InputShape(input);
    if (shape.empty() || shape.back() != 2) RefuseNode(fmt::format("input {} is {}", input, ShapeText(shape)));
    return view.Slice(view.Input(input), view.InputRank(input) - 1, which, which + 1);
  };
  const auto times = [&](int64_t a, int64_t b) { return view.Call("multiply", {part(0, a), part(1, b)}); };
  const ExprPtr real = view.Call(sign > 0 ? "subtract" : "add", {times(0, 0), times(1, 1)});
  const ExprPtr imaginary =
      sign > 0 ? view.Call("add", {times(0, 1), times(1, 0)}) : view.Call("subtract", {times(1, 0), times(0, 1)});
  const auto axis = static_cast<int64_t>(view.builder().ShapeOf(real).size()) - 1;
  return view.builder().CallOnTuple("concatenate", {real, imaginary}, {{"axis", axis}});
}

std::vector<ExprPtr> ComplexMul(const OnnxNodeView& view) { return {ComplexProduct(view, 1)}; }
std::vector<ExprPtr> ComplexMulConj(const OnnxNodeView& view) { return {ComplexProduct(view, -1)}; }

}  // namespace

OnnxOperatorTable FusedProductOperators() {
  return {
      {"FusedGemm",
       2,
       3,
       FusedGemm,
       {"activation", "activation_alpha", "activation_beta", "activation_gamma", "alpha", "beta", "transA", "transB"},
       {.takes_counts = true},
       kMicrosoft},
      {"FusedMatMul",
       2,
       2,
       FusedMatMul,
       {"alpha", "transA", "transB", "transBatchA", "transBatchB"},
       {.takes_counts = true},
       kMicrosoft},
      {"TransposeMatMul", 2, 2, FusedMatMul, {"alpha", "transA", "transB"}, {.takes_counts = true}, kMicrosoft},
      {"FusedMatMulActivation",
       2,
       2,
       FusedMatMulActivation,
       {"activation", "activation_alpha", "activation_axis", "activation_beta", "activation_gamma", "alpha", "transA",
        "transB", "transBatchA", "transBatchB"},
       {.takes_counts = true},
       kMicrosoft},
      {"CDist", 2, 2, CDist, {"metric"}, {}, kMicrosoft},
      {"ComplexMul", 2, 2, ComplexMul, {}, {}, kMicrosoft},
      {"ComplexMulConj", 2, 2, ComplexMulConj, {}, {}, kMicrosoft},
  };
}

}  // namespace hone
