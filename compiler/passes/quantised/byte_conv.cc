#include "compiler/passes/quantised/byte_conv.h"

#include <algorithm>
#include <cmath>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/window_attrs.h"
#include "compiler/relay/exact_sums.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

constexpr int64_t kFour = 4, kMostDepthwiseTaps = 256;

bool IsInt8(const Tensor& value) {
  for (int64_t i = 0; i < value.elements(); ++i) {
    const double v = value.At(i);
    if (!(v >= -128 && v <= 127) || std::trunc(v) != v) return false;
  }
  return true;
}

// Sums of each output channel's weights.
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

ExprPtr Int32Vector(const std::vector<int64_t>& values) {
  Tensor value(DType::kInt32, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) value.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  return relay::MakeConstant(std::move(value), "");
}

// A border of the byte that stands for 0.
ExprPtr Padded(const ExprPtr& bytes, const std::array<int64_t, 4>& padding, int byte) {
  const std::vector<int64_t> width{0, 0, 0, 0, padding[0], padding[2], padding[1], padding[3]};
  return TypedCall("nn.pad", {bytes}, {{"pad_width", width}, {"pad_value", static_cast<double>(byte)}});
}

}  // namespace

bool MultipliesBytes(const Call& conv) {
  const relay::Op* op = relay::AsOp(conv.op);
  if (op == nullptr || op->def->name != "nn.conv2d" || !conv.attrs.GetBool("integral")) return false;
  const relay::Constant* weight = relay::AsConstant(conv.args[1]);
  if (weight == nullptr || !IsStatic(ShapeOf(conv.args[0])) || !IsInt8(weight->value)) return false;
  const Shape& shape = weight->value.shape();
  const int64_t groups = conv.attrs.GetInt("groups", 1);
  const bool depthwise = groups > 1 && shape[1] == 1 && shape[0] == groups;
  return depthwise ? shape[2] * shape[3] <= kMostDepthwiseTaps : groups == 1 || shape[1] % kFour == 0;
}

ByteConv MakeByteConv(const Call& conv, const StoredBytes& data) {
  const relay::Constant& weight = *relay::AsConstant(conv.args[1]);
  relay::Attrs attrs = conv.attrs;
  attrs.Set("out_dtype", std::string("int32"));
  const std::array<int64_t, 4> padding = Padding4(conv.attrs);
  ExprPtr bytes = data.bytes;
  if (data.low != 0 && std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p > 0; })) {
    bytes = Padded(bytes, padding, -data.low);
    attrs.Set("padding", std::vector<int64_t>{0, 0, 0, 0});
  }
  std::vector<int64_t> offsets = WeightSums(weight.value);
  for (int64_t& offset : offsets) offset *= data.low;
  return {TypedCall("nn.conv2d", {bytes, Int8Constant(weight)}, attrs, conv.name), std::move(offsets)};
}

ExprPtr OffsetSums(const ByteConv& conv, const Tensor* bias) {
  std::vector<int64_t> offsets = conv.offsets;
  for (size_t i = 0; bias != nullptr && i < offsets.size(); ++i) {
    offsets[i] += static_cast<int64_t>(bias->At(static_cast<int64_t>(i)));
  }
  ExprPtr sums = conv.sums;
  const bool any = std::any_of(offsets.begin(), offsets.end(), [](int64_t offset) { return offset != 0; });
  if (any) {
    sums = TypedCall("nn.bias_add", {sums, Int32Vector(offsets)}, {}, relay::AsCall(conv.sums)->name);
  }
  return TypedCall("cast", {sums}, {{"dtype", std::string("float32")}}, relay::AsCall(conv.sums)->name);
}

}  // namespace hone
