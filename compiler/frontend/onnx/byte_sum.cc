#include "compiler/frontend/onnx/byte_sum.h"

#include <cmath>
#include <vector>

#include "compiler/relay/exact_sums.h"

namespace hone {

using relay::ExprPtr;

namespace {

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

bool AreRowsOfBytes(const Tensor& w) {
  return w.shape().size() == 2 && w.shape()[1] % kFour == 0 && w.elements() > 0 && FitsInt8(w) &&
         relay::LargestPartialSum(w, 0, kLargestByte) <= kLargestInt32;
}

ExprPtr Int8Constant(const ExprPtr& rows, const Tensor& w) {
  Tensor bytes(DType::kInt8, w.shape());
  for (int64_t i = 0; i < w.elements(); ++i) bytes.Set(i, w.At(i));
  const relay::Constant* constant = relay::AsConstant(rows);
  return relay::MakeConstant(std::move(bytes), constant != nullptr ? constant->name : "");
}

ExprPtr ScalarInt32(int value) { return relay::MakeConstant(Tensor::FromVector<int32_t>(DType::kInt32, {}, {value})); }

// Less the sum of each row.
ExprPtr NegatedSums(const Tensor& w) {
  Tensor sums(DType::kInt32, {w.shape()[0]});
  for (int64_t i = 0; i < w.elements(); ++i) {
    sums.data<int32_t>()[i / w.shape()[1]] -= static_cast<int32_t>(w.At(i));
  }
  return relay::MakeConstant(std::move(sums));
}

bool IsSigned(const OnnxNodeView& view, const WholeNumbers& x) {
  return view.builder().DTypeOf(x.integers) == DType::kInt8;
}

ExprPtr AsUnsigned(const OnnxNodeView& view, const WholeNumbers& x) {
  if (!IsSigned(view, x)) return x.integers;
  const ExprPtr whole = AsDType(view, x.integers, DType::kFloat32);
  return AsDType(view, view.Call("add", {whole, ScalarFloat(kSignedShift)}), DType::kUInt8);
}

// Of the unsigned bytes; null for 0.
ExprPtr ZeroPoint(const OnnxNodeView& view, const WholeNumbers& x) {
  const bool is_signed = IsSigned(view, x);
  if (x.zero_point == nullptr) return is_signed ? ScalarInt32(kSignedShift) : nullptr;
  const ExprPtr zero = AsDType(view, view.Reshape(x.zero_point, {}), DType::kInt32);
  return is_signed ? view.Call("add", {zero, ScalarInt32(kSignedShift)}) : zero;
}

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
  const ExprPtr sum = product(AsUnsigned(view, x), Int8Constant(w.value, *rows));
  const ExprPtr zero = ZeroPoint(view, x);
  if (zero == nullptr) return sum;
  return view.Call("add", {sum, view.Call("multiply", {NegatedSums(*rows), zero})});
}

}  // namespace hone
