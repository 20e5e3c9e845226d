// A computation to tune: the key under which tuning results are stored and looked up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

struct ActivationRow;

// A workload's epilogue as its key states it. The numbers are permanent.
enum class EpilogueClass : uint8_t { kNone = 0, kBiasAct = 1, kResidual = 2 };

// Applied to the data as it is read, per input channel: x * scale + shift, then optionally relu. The numbers are
// permanent.
enum class Prologue : uint8_t { kNone = 0, kScaleShift = 1, kScaleShiftRelu = 2 };

// Quantises a scaled sum of integers before anything is added to it. x is rounded to the nearest integer (ties to
// even), clamped to [lo, hi] and multiplied by scale.
struct Hold {
  float lo = 0;
  float hi = 0;
  float scale = 0;  // 0: no quantisation
  bool operator==(const Hold&) const = default;
};

// Fused into an anchor's store, in this order: bias, residual add, activation.
struct Epilogue {
  bool bias = false;                          // one value per output channel
  bool residual = false;                      // a tensor of the output's shape and layout
  const ActivationRow* activation = nullptr;  // a row of core/activation.h
  float lo = 0;                               // the activation's parameters
  float hi = 0;
  // The next fields are for kernels of integers. With `offset` the accumulator begins with one int32 per output
  // channel. With `scale` the sum is first converted to float32 and multiplied by one value per output channel; `hold`
  // may then quantise it. A residual's element is (r - residual_zero) * residual_scale. Last of all, x becomes
  // round(x / step) + zero_point, with ties rounded to even. It is clamped from 0 (or the type's least value) to
  // `most`. This follows ONNX's QLinearConv and QuantizeLinear.
  bool offset = false;
  bool scale = false;
  Hold hold = {};
  float residual_scale = 0;  // 0: the residual is added unscaled
  int residual_zero = 0;
  float step = 0;  // 0: the output is not quantised
  int zero_point = 0;
  int most = 0;  // 0: the largest of its type

  EpilogueClass Class() const;
  // "scale,bias,add,clip(0,6),quantise(0.5,3)"; "none" when empty. With every field that kernels of integers have:
  // "offset,scale,hold(-128,127,0.02),bias,add(0.01,3),relu,quantise(0.5,3,127)".
  std::string ToText() const;
  // Throws Error(kBadData) naming the text.
  static Epilogue Parse(std::string_view text);
  bool operator==(const Epilogue&) const = default;
};

// Element types of an anchor's operands and of its accumulator. Part of the key; a schedule states which it takes.
struct ElementTypes {
  DType data = DType::kFloat32;
  DType weight = DType::kFloat32;
  DType accumulator = DType::kFloat32;
  DType output = DType::kFloat32;  // of the residual, too
  // Whether it sums products of bytes: integers, and exact.
  bool whole() const { return weight == DType::kInt8 || weight == DType::kUInt8; }
  // Whether both operands are uint8, so that neither is a weight.
  bool pairs() const { return weight == DType::kUInt8; }
  // Whether it multiplies bfloat16 and sums in float32.
  bool bfloat() const { return data == DType::kBFloat16 && weight == DType::kBFloat16; }
  bool operator==(const ElementTypes&) const = default;
};
// 8 bits in, exact sums: data of uint8, weights of int8.
inline constexpr ElementTypes ByteTypes(DType output) { return {DType::kUInt8, DType::kInt8, DType::kInt32, output}; }
// 8 bits in, exact sums, for two computed matrices (batch_matmul). A third operand holds their zero points.
inline constexpr ElementTypes BytePairTypes(DType output) {
  return {DType::kUInt8, DType::kUInt8, DType::kInt32, output};
}
// Sums in float32 of values stored as float32 or bfloat16.
inline constexpr ElementTypes FloatTypes(DType data, DType weight, DType output) {
  return {data, weight, DType::kFloat32, output};
}
// float32 with weights stored as float16, each widened in a register before it is multiplied.
inline constexpr ElementTypes kHalfWeights = FloatTypes(DType::kFloat32, DType::kFloat16, DType::kFloat32);
// Whether they are sums of float32 and bfloat16. Only bfloat16 data have bfloat16 weights.
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
  // batch_matmul only: the axes of data, weight and output in memory's order, as "BMK,BNK,BMN", for B products with
  // the sum over K. A weight whose B is 1 serves every product.
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
  // epilogue=bias_act" on one line, and " prologue=scale_shift_relu" if there is one. Dense has no strides, padding,
  // dilation, groups and prologue; batch_matmul has layouts instead of these and of an epilogue. Canonical: equal
  // workloads have equal texts. Differing types are written as "dtype=uint8,int8,int32,float32": data, weight,
  // accumulator, output.
  std::string ToText() const;
  // Accepts the fields in any order; strides, padding, dilation, groups, layouts, dtype and epilogue may be left out.
  // Throws Error(kBadData) naming what is wrong, also for impossible shapes (no output, channels that groups do not
  // divide).
  static Workload Parse(std::string_view text);
  bool operator==(const Workload&) const = default;
};

// The epilogue that represents a workload's class when it is tuned by itself: none; bias + relu; bias + residual +
// relu. Integers stored in 8 bits have offset, scale and quantise, with a residual also hold and add. batch_matmul,
// which has one class, has scale and quantise. So operands filled at random (FillTensor) give outputs that differ.
Epilogue CanonicalEpilogue(const Workload& workload);

}  // namespace hone
