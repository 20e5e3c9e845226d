#include "compiler/ops/quantised/onnx_exact_sum.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ops/matmul/onnx_product.h"
#include "compiler/ops/matmul/op_products.h"

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

namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kFour = 4;
constexpr double kLargestByte = 255, kLargestInt32 = 2147483647;
constexpr int kSignedShift = 128;  // from int8 to uint8

bool IsOne(const OnnxNodeView& view, const ExprPtr& value) {
  return value == nullptr || ElementCount(view.builder().ShapeOf(value)) == 1;
}

bool FitsInt8(const Tensor& value) {
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double v = value.At(i);
    if (!(v >= -128 && v <= 127) || std::trunc(v) != v) return false;
  }
  return true;
}

bool MakesByteSums(const Tensor& w) {
  return w.elements() > 0 && FitsInt8(w) && relay::LargestPartialSum(w, 0, kLargestByte) <= kLargestInt32;
}

bool AreRowsOfBytes(const Tensor& w) { return w.shape().size() == 2 && MakesByteSums(w); }

std::string NameOf(const ExprPtr& parameter) {
  const relay::Constant* constant = relay::AsConstant(parameter);
  return constant != nullptr ? constant->name : "";
}

ExprPtr Int8Constant(const ExprPtr& filters, const Tensor& w) {
  Tensor bytes(DType::kInt8, w.shape());
  for (int64_t i = 0; i < w.elements(); ++i) bytes.Set(i, w.At(i));
  return relay::MakeConstant(std::move(bytes), NameOf(filters));
}

ExprPtr DataInFours(const OnnxNodeView& view, const ExprPtr& bytes) {
  const Shape shape = view.builder().ShapeOf(bytes);
  const int64_t zeros = relay::ZerosBehindRow(shape);
  if (zeros == 0) return bytes;
  std::vector<int64_t> width(2 * shape.size(), 0);
  width.back() = zeros;
  return view.Call("nn.pad", {bytes}, {{"pad_width", width}, {"pad_value", 0.0}});
}

// Minus the sum of each row, that is, of the weights of one output.
Tensor NegatedSums(const Tensor& w) {
  Tensor sums(DType::kInt32, {w.shape()[0]});
  const int64_t row = w.elements() / w.shape()[0];
  for (int64_t i = 0; i < w.elements(); ++i) sums.data<int32_t>()[i / row] -= static_cast<int32_t>(w.At(i));
  return sums;
}

bool IsSigned(const OnnxNodeView& view, const WholeNumbers& x) {
  return view.builder().DTypeOf(x.integers) == DType::kInt8;
}

// The zero point of the integers as they are, int32.
ExprPtr OwnZeroPoint(const OnnxNodeView& view, const WholeNumbers& x) {
  return x.zero_point == nullptr ? ScalarInt32(0) : AsDType(view, view.Reshape(x.zero_point, {}), DType::kInt32);
}

ExprPtr AsUnsigned(const OnnxNodeView& view, const WholeNumbers& x) {
  if (!IsSigned(view, x)) return x.integers;
  const ExprPtr whole = AsDType(view, x.integers, DType::kFloat32);
  return AsDType(view, view.Call("add", {whole, ScalarFloat(kSignedShift)}), DType::kUInt8);
}

// The zero point of the unsigned bytes; null for 0.
ExprPtr ZeroPoint(const OnnxNodeView& view, const WholeNumbers& x) {
  const bool is_signed = IsSigned(view, x);
  if (x.zero_point == nullptr) return is_signed ? ScalarInt32(kSignedShift) : nullptr;
  const ExprPtr zero = OwnZeroPoint(view, x);
  return is_signed ? view.Call("add", {zero, ScalarInt32(kSignedShift)}) : zero;
}

// The zero point of the unsigned bytes as a number; nullopt if it is not known or there are several.
std::optional<int> KnownZeroPoint(const OnnxNodeView& view, const WholeNumbers& x) {
  const int shift = IsSigned(view, x) ? kSignedShift : 0;
  if (x.zero_point == nullptr) return shift;
  const Tensor* zero = view.builder().ValueOf(x.zero_point);
  if (zero == nullptr || zero->elements() != 1) return std::nullopt;
  return static_cast<int>(zero->At(0)) + shift;
}

// Adds a border of bytes around the image, which replaces all of a convolution's padding.
ExprPtr WithBorder(const OnnxNodeView& view, const ExprPtr& bytes, int border, relay::Attrs& attrs) {
  const Ints padding = attrs.GetInts("padding");
  attrs.Set("padding", Ints{0, 0, 0, 0});
  const Ints width{0, 0, 0, 0, padding[0], padding[2], padding[1], padding[3]};
  return view.Call("nn.pad", {bytes}, {{"pad_width", width}, {"pad_value", static_cast<double>(border)}});
}

// 1 in the border and 0 within, for any image and channel.
Tensor BorderMask(const Shape& shape, const std::vector<int64_t>& padding) {
  Tensor mask(DType::kUInt8, {1, 1, shape[2], shape[3]});
  for (int64_t i = 0; i < mask.elements(); ++i) {
    const int64_t row = i / shape[3], column = i % shape[3];
    const bool inside =
        row >= padding[0] && row < shape[2] - padding[2] && column >= padding[1] && column < shape[3] - padding[3];
    mask.data<uint8_t>()[i] = inside ? 0 : 1;
  }
  return mask;
}

// The bytes with a border of the zero point. A convolution's own padding is 0, which suffices only if the zero point is
// 0.
ExprPtr WithZeroBorder(const OnnxNodeView& view, const WholeNumbers& x, relay::Attrs& attrs) {
  ExprPtr bytes = AsUnsigned(view, x);
  const std::vector<int64_t> padding = attrs.GetInts("padding");
  const std::optional<int> zero = KnownZeroPoint(view, x);
  if (zero == 0 || padding == std::vector<int64_t>{0, 0, 0, 0}) return bytes;
  ExprPtr image = WithBorder(view, bytes, zero.value_or(0), attrs);
  if (zero) return image;
  const ExprPtr mask = relay::MakeConstant(BorderMask(view.builder().ShapeOf(image), padding));
  const ExprPtr computed = AsDType(view, ZeroPoint(view, x), DType::kUInt8);
  return view.Call("add", {image, view.Call("multiply", {mask, computed})});
}

// The offset per output, int32 with wrapping: the bias minus the zero point's contribution to each sum.
ExprPtr Offsets(const OnnxNodeView& view, const WholeNumbers& x, const Tensor& weight, const ExprPtr& bias) {
  const ExprPtr sums = relay::MakeConstant(NegatedSums(weight)), zero = ZeroPoint(view, x);
  const ExprPtr offsets = zero != nullptr ? view.Call("multiply", {sums, zero}) : nullptr;
  if (bias == nullptr || offsets == nullptr) return offsets != nullptr ? offsets : bias;
  return view.Call("add", {offsets, bias});
}

// Whether kernels of bytes give int32 for the groups.
bool AreGroupsOfBytes(const Shape& weight, int64_t groups) { return groups == 1 || weight[1] % kFour == 0; }

}  // namespace

bool NeedsByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w) {
  const Tensor* rows = view.builder().ValueOf(w.value);
  if (rows == nullptr || x.integers == nullptr) return false;
  const bool known = x.zero_point == nullptr || view.builder().ValueOf(x.zero_point) != nullptr;
  return !known || relay::LargestPartialSum(*rows, x.low, x.high) > relay::kLargestExact;
}

ExprPtr ByteSum(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w, const ProductOf& product) {
  const Tensor* rows = view.builder().ValueOf(w.value);
  if (rows == nullptr || x.integers == nullptr || !IsOne(view, x.zero_point) || !AreRowsOfBytes(*rows)) return nullptr;
  ExprPtr sum =
      product(DataInFours(view, AsUnsigned(view, x)), relay::MakeConstant(relay::RowsInFours(*rows), NameOf(w.value)));
  const ExprPtr zero = ZeroPoint(view, x);
  if (zero == nullptr) return sum;
  return view.Call("add", {sum, view.Call("multiply", {relay::MakeConstant(NegatedSums(*rows)), zero})});
}

ExprPtr ByteSumOfComputed(const OnnxNodeView& view, const WholeNumbers& a, const WholeNumbers& b, int64_t depth) {
  std::vector<ExprPtr> zeros;
  for (const WholeNumbers* x : {&a, &b}) {
    if (x->integers == nullptr || !IsOne(view, x->zero_point) || view.builder().ValueOf(x->value) != nullptr) {
      return nullptr;
    }
    zeros.push_back(view.Reshape(OwnZeroPoint(view, *x), {1}));
  }
  if (static_cast<double>(depth) * kLargestByte * kLargestByte > kLargestInt32) return nullptr;
  const ExprPtr both = view.builder().CallOnTuple("concatenate", zeros, {{"axis", int64_t{0}}});
  return MatrixProduct(view, a.integers, b.integers, true, both);
}

ExprPtr ByteConv(const OnnxNodeView& view, const WholeNumbers& x, const WholeNumbers& w, const relay::Attrs& attrs,
                 const ExprPtr& bias) {
  const Tensor* weight = view.builder().ValueOf(w.value);
  if (weight == nullptr || x.integers == nullptr || !IsOne(view, x.zero_point) || !MakesByteSums(*weight) ||
      !AreGroupsOfBytes(weight->shape(), attrs.GetInt("groups", 1))) {
    return nullptr;
  }
  relay::Attrs of_bytes = attrs;
  const ExprPtr bytes = WithZeroBorder(view, x, of_bytes);
  of_bytes.Set("out_dtype", std::string("int32"));
  const ExprPtr sum = view.Call("nn.conv2d", {bytes, Int8Constant(w.value, *weight)}, of_bytes);
  const ExprPtr offsets = Offsets(view, x, *weight, bias);
  return offsets != nullptr ? view.Call("nn.bias_add", {sum, offsets}) : sum;
}

}  // namespace hone
