#include "compiler/passes/quantised/byte_product.h"

#include <algorithm>
#include <cmath>

#include "compiler/ops/matmul/op_products.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

constexpr int64_t kDotBytes = 4, kMostDepthwiseTaps = 256;

bool IsInt8(const Tensor& value) {
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double v = value.At(i);
    if (!(v >= -128 && v <= 127) || std::trunc(v) != v) return false;
  }
  return true;
}

// Sum of the weights of each output channel.
std::vector<int64_t> WeightSums(const Tensor& weight) {
  std::vector<int64_t> sums(static_cast<size_t>(weight.shape()[0]));
  const int64_t each = weight.elements() / weight.shape()[0];
  for (int64_t i = 0; i < weight.elements(); ++i) {
    sums[static_cast<size_t>(i / each)] += static_cast<int64_t>(weight.At(i));
  }
  return sums;
}

ExprPtr Int8Constant(const relay::Constant& from) {
  Tensor value(DType::kInt8, from.value.shape());
  for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, from.value.At(i));
  return relay::MakeConstant(std::move(value), from.name);
}

ExprPtr DataInFours(const ExprPtr& bytes) {
  const int64_t zeros = relay::ZerosBehindRow(ShapeOf(bytes));
  if (zeros == 0) return bytes;
  return TypedCall("nn.pad", {bytes}, {{"pad_width", std::vector<int64_t>{0, 0, 0, zeros}}, {"pad_value", 0.0}});
}

ExprPtr Int32Vector(const std::vector<int64_t>& values) {
  Tensor value(DType::kInt32, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) value.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  return relay::MakeConstant(std::move(value), "");
}

// Makes a convolution's border explicit, with the byte that stands for 0, unless that byte is 0.
ExprPtr WithBorder(const StoredBytes& data, relay::Attrs& attrs) {
  const std::array<int64_t, 4> padding = Padding4(attrs);
  const bool padded = std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p > 0; });
  if (data.low == 0 || !padded) return data.bytes;
  attrs.Set("padding", std::vector<int64_t>{0, 0, 0, 0});
  const std::vector<int64_t> width{0, 0, 0, 0, padding[0], padding[2], padding[1], padding[3]};
  return TypedCall("nn.pad", {data.bytes}, {{"pad_width", width}, {"pad_value", static_cast<double>(-data.low)}});
}

bool IsDense(const Call& call) { return relay::AsOp(call.op)->def->name == "nn.dense"; }

bool MultipliesPairs(const Call& product) {
  return !product.attrs.GetBool("transpose_a") &&
         std::all_of(product.args.begin(), product.args.end(), [](const ExprPtr& arg) {
           const auto range = WholeRangeOf(arg);
           return range && IsStatic(ShapeOf(arg)) && relay::AsCall(arg) != nullptr &&
                  std::max(range->high, 0.0) - std::min(range->low, 0.0) <= kLargestByte;
         });
}

}  // namespace

bool MultipliesBytes(const Call& product) {
  const relay::Op* op = relay::AsOp(product.op);
  if (op != nullptr && op->def->name == "nn.batch_matmul") {
    return product.attrs.GetBool("integral") && MultipliesPairs(product);
  }
  const bool known = op != nullptr && (op->def->name == "nn.conv2d" || op->def->name == "nn.dense");
  if (!known || !product.attrs.GetBool("integral")) return false;
  const relay::Constant* weight = relay::AsConstant(product.args[1]);
  if (weight == nullptr || !IsStatic(ShapeOf(product.args[0])) || !IsInt8(weight->value)) return false;
  const Shape& shape = weight->value.shape();
  if (IsDense(product)) return true;
  const int64_t groups = product.attrs.GetInt("groups", 1);
  const bool depthwise = groups > 1 && shape[1] == 1 && shape[0] == groups;
  return depthwise ? shape[2] * shape[3] <= kMostDepthwiseTaps : groups == 1 || shape[1] % kDotBytes == 0;
}

ByteProduct MakeByteProduct(const Call& product, const StoredBytes& data) {
  const relay::Constant& weight = *relay::AsConstant(product.args[1]);
  relay::Attrs attrs = product.attrs;
  attrs.Set("out_dtype", std::string("int32"));
  const bool dense = IsDense(product);
  const ExprPtr bytes = dense ? DataInFours(data.bytes) : WithBorder(data, attrs);
  const ExprPtr rows =
      dense ? relay::MakeConstant(relay::RowsInFours(weight.value), weight.name) : Int8Constant(weight);
  std::vector<int64_t> offsets = WeightSums(weight.value);
  for (int64_t& offset : offsets) offset *= data.low;
  const std::string& name = relay::AsOp(product.op)->def->name;
  return {TypedCall(name, {bytes, rows}, attrs, product.name), std::move(offsets)};
}

ExprPtr ProductOfPairs(const Call& product, const StoredBytes& data, const StoredBytes& weight) {
  relay::Attrs attrs = product.attrs;
  attrs.Set("out_dtype", std::string("int32"));
  const ExprPtr zeros = Int32Vector({-data.low, -weight.low});
  const ExprPtr sums = TypedCall("nn.batch_matmul", {data.bytes, weight.bytes, zeros}, attrs, product.name);
  return TypedCall("cast", {sums}, {{"dtype", std::string("float32")}}, product.name);
}

ExprPtr OffsetSums(const ByteProduct& product, const Tensor* bias) {
  std::vector<int64_t> offsets = product.offsets;
  for (size_t i = 0; bias != nullptr && i < offsets.size(); ++i) {
    offsets[i] += static_cast<int64_t>(bias->At(static_cast<int64_t>(i)));
  }
  ExprPtr sums = product.sums;
  const std::string& name = relay::AsCall(sums)->name;
  const bool any = std::any_of(offsets.begin(), offsets.end(), [](int64_t offset) { return offset != 0; });
  if (any) sums = TypedCall("nn.bias_add", {sums, Int32Vector(offsets)}, {}, name);
  return TypedCall("cast", {sums}, {{"dtype", std::string("float32")}}, name);
}

}  // namespace hone
