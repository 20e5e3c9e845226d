#include "compiler/ops/quantised/onnx_exact_product.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "compiler/ops/matmul/op_exact_sums.h"

namespace hone {

using relay::ExprPtr;

namespace {

double Magnitude(const WholeNumbers& numbers) { return std::max(-numbers.low, numbers.high); }

struct Depth {
  int64_t products;
  bool w_rows;
};

double BoundOfSums(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w, const Depth& depth) {
  const Tensor* value = depth.w_rows ? view.builder().ValueOf(w.value) : nullptr;
  if (value != nullptr) return relay::LargestPartialSum(*value, x.low, x.high);
  return static_cast<double>(depth.products) * Magnitude(x) * Magnitude(w);
}

// The digits of w in the base, lowest first; they lie in [-base / 2, base / 2], and the highest one takes the rest.
std::vector<WholeNumbers> Digits(const OnnxNodeView& view, WholeNumbers w, int count, double base) {
  std::vector<WholeNumbers> digits;
  for (int i = 1; i < count; ++i) {
    const ExprPtr above = view.Call("round", {view.Call("multiply", {w.value, ScalarFloat(1 / base)})});
    const ExprPtr low = view.Call("subtract", {w.value, view.Call("multiply", {above, ScalarFloat(base)})});
    digits.push_back({low, -base / 2, base / 2});
    w = {above, std::floor(w.low / base), std::ceil(w.high / base)};
  }
  digits.push_back(w);
  return digits;
}

struct DigitSplit {
  std::vector<WholeNumbers> digits;
  int32_t base = 1;
};

std::optional<DigitSplit> SplitExactly(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                                       const Depth& depth) {
  struct Way {
    int count;
    int32_t base;
  };
  for (const Way way : {Way{1, 1}, Way{2, 16}, Way{3, 8}, Way{4, 4}}) {
    DigitSplit split{Digits(view, w, way.count, way.base), way.base};
    const bool fits = std::all_of(split.digits.begin(), split.digits.end(), [&](const WholeNumbers& digit) {
      return BoundOfSums(view, x, digit, depth) <= relay::kLargestExact;
    });
    if (fits) return split;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExactSum> ExactProduct(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w,
                                     int64_t depth, bool w_rows, const ProductOf& product) {
  const Depth sums{depth, w_rows};
  const std::optional<DigitSplit> split = SplitExactly(view, x, w, sums);
  if (!split) return std::nullopt;
  const std::vector<WholeNumbers>& digits = split->digits;
  if (digits.size() == 1) return ExactSum{product(x.value, w.value), BoundOfSums(view, x, w, sums), false};
  ExprPtr sum;
  for (size_t i = digits.size(); i-- > 0;) {
    const ExprPtr part = AsDType(view, product(x.value, digits[i].value), DType::kInt32);
    if (sum != nullptr) sum = view.Call("multiply", {sum, ScalarInt32(split->base)});
    sum = sum == nullptr ? part : view.Call("add", {sum, part});
  }
  return ExactSum{sum, 0, true};
}

ExactSum WithBias(const OnnxNodeView& view, const ExactSum& sum, const ExprPtr& bias, int64_t axis) {
  const Tensor* value = view.builder().ValueOf(bias);
  double most = 2147483648.0;
  if (value != nullptr) {
    most = 0;
    for (int64_t i = 0; i < value->elements(); ++i) most = std::max(most, std::abs(value->At(i)));
  }
  const relay::Attrs attrs{{"axis", axis}};
  if (!sum.is_int32 && sum.bound + most <= relay::kLargestExact) {
    const ExprPtr real = AsDType(view, bias, DType::kFloat32);
    return {view.Call("nn.bias_add", {sum.value, real}, attrs), sum.bound + most, false};
  }
  return {view.Call("nn.bias_add", {SumAsInt32(view, sum), bias}, attrs), 0, true};
}

ExprPtr SumAsFloat(const OnnxNodeView& view, const ExactSum& sum) { return AsDType(view, sum.value, DType::kFloat32); }

ExprPtr SumAsInt32(const OnnxNodeView& view, const ExactSum& sum) { return AsDType(view, sum.value, DType::kInt32); }

}  // namespace hone
