// Convolutions and matrix products of integers, with and without scales around them.
#include "compiler/ops/matmul/onnx_product.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/matmul/op_products.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/quantised/onnx_exact_sum.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// The input numbers of a node's operands and their zero points.
struct Operands {
  int x = 0, x_zero = 0, w = 0, w_zero = 0;
};

// The input minus its zero point. Requires 8-bit integers, whose products bound the sums.
WholeNumbers Factor(const OnnxNodeView& view, int input, const ExprPtr& zero_point) {
  const DType dtype = view.builder().DTypeOf(view.Input(input));
  if (dtype != DType::kUInt8 && dtype != DType::kInt8) {
    RefuseNode(fmt::format("input {} is {}; uint8 and int8 are multiplied", input, DTypeName(dtype)));
  }
  return Centred(view, view.Input(input), zero_point);
}

// The sum with the int32 bias at input `bias`; -1 for none.
ExactSum IntegerConv(const OnnxNodeView& view, const Operands& at, int bias = -1) {
  const Shape& weight = view.InputShape(at.w);
  if (weight.size() != 4) {
    RefuseNode(fmt::format("its weight is {}; only two spatial dimensions are supported", ShapeText(weight)));
  }
  const Window window = ReadWindow(view, {weight[2], weight[3]});
  const relay::Attrs attrs{{"strides", window.strides},
                           {"padding", window.padding},
                           {"dilation", window.dilation},
                           {"groups", view.Int("group", 1)},
                           {"channels", weight[0]},
                           {"kernel_size", window.kernel},
                           {"integral", true}};
  // Padding takes the zero point, which is 0 in these values.
  const WholeNumbers x = Factor(view, at.x, ReadPerAxis(view, at.x_zero, {}));
  const WholeNumbers w = Factor(view, at.w, ReadPerAxis(view, at.w_zero, weight, {0, 0}));
  const int64_t depth = weight[1] * weight[2] * weight[3];
  const ExprPtr added = bias >= 0 && view.HasInput(bias) ? view.Input(bias) : nullptr;
  if (NeedsByteSum(view, x, w)) {
    if (const ExprPtr bytes = ByteConv(view, x, w, attrs, added)) return {bytes, 0, true};
  }
  const auto sum = ExactProduct(view, x, w, depth, true, [&](const ExprPtr& data, const ExprPtr& part) {
    return view.Call("nn.conv2d", {data, part}, attrs);
  });
  if (!sum) RefuseNode(fmt::format("a sum of {} products of integers is longer than is supported", depth));
  return added != nullptr ? WithBias(view, *sum, added, 1) : *sum;
}

// Positions [begin, end) of one axis.
WholeNumbers Slice(const OnnxNodeView& view, const WholeNumbers& from, size_t axis, int64_t begin, int64_t end) {
  const ExprPtr part = view.Slice(from.value, static_cast<int64_t>(axis), begin, end);
  return {part, from.low, from.high};
}

// Sums that are too long for one product are added from those of two halves.
ExactSum IntegerMatrices(const OnnxNodeView& view, const WholeNumbers& a, const WholeNumbers& b) {
  const Shape a_shape = view.builder().ShapeOf(a.value);
  const Shape b_shape = view.builder().ShapeOf(b.value);
  if (a_shape.empty() || b_shape.empty()) RefuseNode("a scalar is no matrix");
  const auto counted = [&](const ExprPtr& expr, size_t from_end) {
    return IsCounted(view.builder(), expr,
                     static_cast<int64_t>(view.builder().ShapeOf(expr).size()) - static_cast<int64_t>(from_end));
  };
  if (counted(a.value, 1) || counted(b.value, b_shape.size() == 1 ? 1 : 2)) {
    RefuseNode("a sum of products of integers over an axis whose extent is counted in a run");
  }
  const bool is_matrix = b_shape.size() == 2;
  const size_t b_axis = b_shape.size() == 1 ? 0 : b_shape.size() - 2;
  const int64_t depth = b_shape[b_axis];
  if (a_shape.back() != depth) {
    RefuseNode(fmt::format("{} times {} cannot be", ShapeText(a_shape), ShapeText(b_shape)));
  }
  const auto product = [&](const ExprPtr& lhs, const ExprPtr& rhs) {
    return MatrixProduct(view, lhs, is_matrix ? TransposedMatrix(view, rhs) : rhs, true);
  };
  const WholeNumbers rows{is_matrix ? TransposedMatrix(view, b.value) : b.value, b.low, b.high};
  if (is_matrix && NeedsByteSum(view, a, rows)) {
    if (const ExprPtr sum = ByteSum(view, a, rows, product)) return {sum, 0, true};
  }
  if (const ExprPtr sum = ByteSumOfComputed(view, a, b, depth)) return {sum, 0, true};
  if (const auto sum = ExactProduct(view, a, rows, depth, is_matrix, product)) return *sum;
  const auto part = [&](int64_t begin, int64_t end) {
    return SumAsInt32(view, IntegerMatrices(view, Slice(view, a, a_shape.size() - 1, begin, end),
                                            Slice(view, b, b_axis, begin, end)));
  };
  return {view.Call("add", {part(0, depth / 2), part(depth / 2, depth)}), 0, true};
}

// A vector of one value per row of `a` or per column of `b`, one value, or a tensor that broadcasts without change.
ExprPtr PerRow(const OnnxNodeView& view, int input, int matrix) {
  if (!view.HasInput(input)) return nullptr;
  const Shape& shape = view.InputShape(matrix);
  const Shape& given = view.InputShape(input);
  if (given.size() > 1 && ElementCount(given) > 1) return view.Input(input);
  return ReadPerAxis(view, input, shape, {std::max<int64_t>(0, static_cast<int64_t>(shape.size()) - 2), 0});
}
ExprPtr PerColumn(const OnnxNodeView& view, int input, int matrix) {
  if (!view.HasInput(input)) return nullptr;
  const Shape& shape = view.InputShape(matrix);
  const Shape& given = view.InputShape(input);
  if (given.size() > 1 && ElementCount(given) > 1) return view.Input(input);
  return ReadPerAxis(view, input, shape, {std::max<int64_t>(0, static_cast<int64_t>(shape.size()) - 1), 0});
}

ExactSum IntegerMatMul(const OnnxNodeView& view, const Operands& at) {
  return IntegerMatrices(view, Factor(view, at.x, PerRow(view, at.x_zero, at.x)),
                         Factor(view, at.w, PerColumn(view, at.w_zero, at.w)));
}

// Rounds sum * scale half to even. The scale is computed first, as in ONNX's runtimes.
ExprPtr Requantised(const OnnxNodeView& view, const ExactSum& sum, const ExprPtr& scale, int zero_point) {
  const ExprPtr quotient = view.Call("multiply", {SumAsFloat(view, sum), scale});
  return Saturated(view, quotient, ReadPerAxis(view, zero_point, {}), QuantisedDType(view, zero_point));
}

ExprPtr Times(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) { return view.Call("multiply", {a, b}); }

std::vector<ExprPtr> ConvInteger2d(const OnnxNodeView& view) {
  return {SumAsInt32(view, IntegerConv(view, {0, 2, 1, 3}))};
}

std::vector<ExprPtr> MatMulInteger(const OnnxNodeView& view) {
  return {SumAsInt32(view, IntegerMatMul(view, {0, 2, 1, 3}))};
}

// Inputs: x, its scale and zero point, w, its scale and zero point, the result's scale and zero point, bias.
std::vector<ExprPtr> QLinearConv2d(const OnnxNodeView& view) {
  RequireScales(view, {1, 4, 6});
  const ExactSum sum = IntegerConv(view, {0, 2, 3, 5}, 8);
  const Shape result = view.builder().ShapeOf(sum.value);
  const ExprPtr of_product = Times(view, ReadPerAxis(view, 1, {}), ReadPerAxis(view, 4, result, {1, 0}));
  return {Requantised(view, sum, view.Call("divide", {of_product, ReadPerAxis(view, 6, {})}), 7)};
}

std::vector<ExprPtr> ConvInteger(const OnnxNodeView& view) { return AsPlanes(view, ConvInteger2d); }
std::vector<ExprPtr> QLinearConv(const OnnxNodeView& view) { return AsPlanes(view, QLinearConv2d); }

std::vector<ExprPtr> QLinearMatMul(const OnnxNodeView& view) {
  RequireScales(view, {1, 4, 6});
  const ExactSum sum = IntegerMatMul(view, {0, 2, 3, 5});
  const ExprPtr of_product = Times(view, PerRow(view, 1, 0), PerColumn(view, 4, 3));
  return {Requantised(view, sum, view.Call("divide", {of_product, ReadPerAxis(view, 6, {})}), 7)};
}

// Inputs: A, its scale and zero point, B, its scale and zero point, C with the product's scale, the result's scale and
// zero point. Without the last two the result is real.
std::vector<ExprPtr> QGemm(const OnnxNodeView& view) {
  RequireScales(view, {1, 4, 7});
  if (view.InputRank(0) != 2 || view.InputRank(3) != 2) RefuseNode("A and B must be matrices");
  const bool b_is_rows = view.Int("transB", 0) != 0;
  const QuantisedAxis per_column{b_is_rows ? 0 : 1, 0};
  WholeNumbers a = Factor(view, 0, ReadPerAxis(view, 2, {}));
  WholeNumbers b = Factor(view, 3, ReadPerAxis(view, 5, view.InputShape(3), per_column));
  if (view.Int("transA", 0) != 0) a = {TransposedMatrix(view, a.value), a.low, a.high};
  if (b_is_rows) b.value = TransposedMatrix(view, b.value);
  ExactSum sum = IntegerMatrices(view, a, b);
  const Shape result = view.builder().ShapeOf(sum.value);
  if (view.HasInput(6)) {
    if (ElementCount(view.InputShape(6)) != result[1]) RefuseNode("C must have one value per column of the result");
    sum = WithBias(view, sum, view.Reshape(view.Input(6), {result[1]}), 1);
  }
  ExprPtr scale = Times(view, ReadPerAxis(view, 1, {}), ReadPerAxis(view, 4, result, {1, 0}));
  if (const double alpha = view.Float("alpha", 1); alpha != 1) scale = Times(view, scale, ScalarFloat(alpha));
  if (!view.HasInput(7)) return {Times(view, SumAsFloat(view, sum), scale)};
  return {Requantised(view, sum, view.Call("divide", {scale, ReadPerAxis(view, 7, {})}), 8)};
}

ExprPtr PlusBias(const OnnxNodeView& view, const ExprPtr& real, int bias) {
  return view.HasInput(bias) ? view.Call("add", {real, view.Input(bias)}) : real;
}

// Inputs: A, B, A's scale, B's scale, A's zero point, B's zero point, bias.
std::vector<ExprPtr> MatMulIntegerToFloat(const OnnxNodeView& view) {
  RequireScales(view, {2, 3});
  const ExactSum sum = IntegerMatMul(view, {0, 4, 1, 5});
  const ExprPtr scale = Times(view, PerRow(view, 2, 0), PerColumn(view, 3, 1));
  return {PlusBias(view, Times(view, SumAsFloat(view, sum), scale), 6)};
}

// Inputs: A, which is quantised here, B, its scale and zero point, bias.
std::vector<ExprPtr> DynamicQuantizeMatMul(const OnnxNodeView& view) {
  RequireScales(view, {2});
  const DynamicallyQuantised a = QuantisedDynamically(view, view.Input(0));
  const WholeNumbers b = Factor(view, 1, PerColumn(view, 3, 1));
  const ExactSum sum = IntegerMatrices(view, Centred(view, a.integers, a.by.zero_point), b);
  const ExprPtr scale = Times(view, a.by.scale, PerColumn(view, 2, 1));
  return {PlusBias(view, Times(view, SumAsFloat(view, sum), scale), 4)};
}

}  // namespace

OnnxOperatorTable QuantisedProductOperators() {
  const std::vector<std::string_view> conv{"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"};
  return {
      {"ConvInteger",
       2,
       4,
       ConvInteger,
       conv,
       {.becomes = "add cast multiply nn.bias_add nn.conv2d nn.pad reshape round subtract", .takes_counts = true}},
      {"MatMulInteger",
       2,
       4,
       MatMulInteger,
       {},
       {.becomes = "add broadcast_to cast concatenate multiply nn.batch_matmul nn.dense nn.pad reshape strided_slice "
                   "subtract transpose",
        .takes_counts = true}},
      {"QLinearConv",
       8,
       9,
       QLinearConv,
       conv,
       {.becomes = "add cast clip multiply nn.bias_add nn.conv2d reshape round subtract", .takes_counts = true}},
      {"QLinearMatMul",
       8,
       8,
       QLinearMatMul,
       {},
       {.becomes = "add cast clip multiply nn.dense round subtract", .takes_counts = true}},
      {"QGemm",
       6,
       9,
       QGemm,
       {"alpha", "transA", "transB"},
       {.becomes = "add cast clip multiply nn.bias_add nn.dense round subtract", .takes_counts = true},
       kMicrosoft},
      {"DynamicQuantizeMatMul",
       3,
       5,
       DynamicQuantizeMatMul,
       {},
       {.becomes = "add cast clip divide max maximum multiply negative nn.dense nn.pad round subtract",
        .takes_counts = true},
       kMicrosoft},
      {"MatMulIntegerToFloat",
       4,
       7,
       MatMulIntegerToFloat,
       {},
       {.becomes = "cast multiply nn.dense", .takes_counts = true},
       kMicrosoft},
  };
}

}  // namespace hone
