// What is computed: the key under which tuning results are kept and looked up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

struct ActivationRow;

// What a workload's key says of its epilogue; the numbers are permanent.
enum class EpilogueClass : uint8_t { kNone = 0, kBiasAct = 1, kResidual = 2 };

// Applied to the data as it is read, per input channel: x * scale + shift, then perhaps relu. The numbers are
// permanent.
enum class Prologue : uint8_t { kNone = 0, kScaleShift = 1, kScaleShiftRelu = 2 };

// A scaled sum of whole numbers that is quantised before something is added to it: x becomes x to the nearest whole
// number (halves to even), held within [lo, hi], times scale.
struct Hold {
  float lo = 0;
  float hi = 0;
  float scale = 0;  // 0: it is not
  bool operator==(const Hold&) const = default;
};

// Fused into an anchor's store, in this order: bias, residual add, activation.
struct Epilogue {
  bool bias = false;                          // one value per output channel
  bool residual = false;                      // a tensor of the output's shape and layout
  const ActivationRow* activation = nullptr;  // a row of core/activation.h
  float lo = 0;                               // its first parameter, and its second
  float hi = 0;
  // Of kernels with whole numbers: the accumulator begins with one int32 per output channel (offset); before all else
  // it is converted to float32 and multiplied by one value per output channel (scale), and then perhaps quantised
  // (hold). The residual's elements count as (r - residual_zero) * residual_scale. Behind all else x becomes x / step
  // to the nearest (halves to even) + zero_point, held within 0 (or the least) and `most` of the output's type. ONNX's
  // QLinearConv and QuantizeLinear.
  bool offset = false;
  bool scale = false;
  Hold hold = {};
  float residual_scale = 0;  // 0: the residual is added as it is
  int residual_zero = 0;
  float step = 0;  // 0: the output is not quantised
  int zero_point = 0;
  int most = 0;  // 0: the largest of its type

  EpilogueClass Class() const;
  // "scale,bias,add,clip(0,6),quantise(0.5,3)"; "none" when empty. With all that whole numbers may have:
  // "offset,scale,hold(-128,127,0.02),bias,add(0.01,3),relu,quantise(0.5,3,127)".
  std::string ToText() const;
  // Throws Error(kBadData) naming the text.
  static Epilogue Parse(std::string_view text);
  bool operator==(const Epilogue&) const = default;
};

// What an anchor's operands hold and what it adds in. Part of the key; a schedule states which it takes.
struct ElementTypes {
  DType data = DType::kFloat32;
  DType weight = DType::kFloat32;
  DType accumulator = DType::kFloat32;
  DType output = DType::kFloat32;  // of the residual, too
  // Sums of products of bytes: whole numbers, and exact.
  bool whole() const { return weight == DType::kInt8 || weight == DType::kUInt8; }
  // Of both are uint8: neither is a weight.
  bool pairs() const { return weight == DType::kUInt8; }
  // Products of bfloat16, added up in float32.
  bool bfloat() const { return data == DType::kBFloat16 && weight == DType::kBFloat16; }
  bool operator==(const ElementTypes&) const = default;
};
// 8 bits in, exact sums: data of uint8, weights of int8.
inline constexpr ElementTypes ByteTypes(DType output) { return {DType::kUInt8, DType::kInt8, DType::kInt32, output}; }
// The same of two computed matrices (batch_matmul), each less its zero point, which a third operand holds.
inline constexpr ElementTypes BytePairTypes(DType output) {
  return {DType::kUInt8, DType::kUInt8, DType::kInt32, output};
}
// Sums in float32 of what is stored as float32 or bfloat16.
inline constexpr ElementTypes FloatTypes(DType data, DType weight, DType output) {
  return {data, weight, DType::kFloat32, output};
}
// The same with weights stored as float16: each is widened in a register before it is multiplied.
inline constexpr ElementTypes kHalfWeights = FloatTypes(DType::kFloat32, DType::kFloat16, DType::kFloat32);
// Whether they are sums of float32 and bfloat16. Only data of bfloat16 have weights of it.
constexpr bool AreFloats(const ElementTypes& t) {
  const auto stored = [](DType type) { return type == DType::kFloat32 || type == DType::kBFloat16; };
  return t.accumulator == DType::kFloat32 && stored(t.data) && stored(t.weight) && stored(t.output) &&
         (t.weight == DType::kFloat32 || t.data == DType::kBFloat16);
}

// One anchor operator with its shapes.
struct Workload {
  std::string op;  // "nn.conv2d", "nn.dense" or "nn.batch_matmul"
  ElementTypes types;
  Shape data;                                  // conv2d: N,C,H,W; dense: M,K; batch_matmul: as layouts says
  Shape weight;                                // conv2d: O,C/groups,KH,KW; dense: N,K; batch_matmul: as layouts says
  std::array<int64_t, 2> strides{1, 1};        // conv2d only, as the next three
  std::array<int64_t, 4> padding{0, 0, 0, 0};  // top, left, bottom, right
  std::array<int64_t, 2> dilation{1, 1};
  int64_t groups = 1;
  EpilogueClass epilogue = EpilogueClass::kNone;
  Prologue prologue = Prologue::kNone;  // conv2d only
  // batch_matmul only: which dim of data, weight and output is which, in memory's order, as "BMK,BNK,BMN": the sum over
  // K of B products each. A weight whose B is 1 serves every product.
  std::string layouts;

  bool is_conv() const { return op == "nn.conv2d"; }
  bool is_batch_matmul() const { return op == "nn.batch_matmul"; }
  // batch_matmul: the extent of axis B, M, N or K of the product.
  int64_t Extent(char axis) const;
  // batch_matmul: the letters of operand 0 (data), 1 (weight) or 2 (output).
  std::string_view OperandAxes(int operand) const;
  // One input and one output channel per group, and more than one group.
  bool is_depthwise() const;
  // conv2d: N,O,OH,OW; dense: M,N; batch_matmul: as layouts says. For a workload that Parse would accept.
  Shape OutputShape() const;
  // 2 x multiply-adds of the direct algorithm, padding counted.
  double Flops() const;

  // "nn.conv2d data=1x64x56x56 weight=64x64x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 dtype=float32
  // epilogue=bias_act" on one line, and " prologue=scale_shift_relu" when there is one; dense has no strides, padding,
  // dilation, groups and prologue; batch_matmul has layouts instead of these and of an epilogue. Canonical: equal
  // workloads have equal texts. Types that differ are written as "dtype=uint8,int8,int32,float32": data, weight,
  // accumulator, output.
  std::string ToText() const;
  // Accepts the fields in any order; strides, padding, dilation, groups, layouts, dtype and epilogue may be left out.
  // Throws Error(kBadData) naming what is wrong, also for shapes that cannot be (no output, channels that groups do not
  // divide).
  static Workload Parse(std::string_view text);
  bool operator==(const Workload&) const = default;
};

// The epilogue that stands for a workload's class when it is tuned alone: none; bias + relu; bias + residual + relu. Of
// whole numbers that are stored in 8 bits: offset, scale and quantise, with a residual also hold and add, and of a
// batch_matmul, which has one class, scale and quantise, so that operands filled at random (FillTensor) give outputs
// that differ.
Epilogue CanonicalEpilogue(const Workload& workload);

}  // namespace hone
