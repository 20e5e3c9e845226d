// What is computed: the key under which tuning results are kept and looked up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// Fused into an anchor's store, in this order: bias, residual add, activation.
enum class Activation : uint8_t {
  kNone = 0,
  kRelu = 1,
  kClip = 2,
  kSigmoid = 3,
  kTanh = 4,
  kLeakyRelu = 5,
  kHardSwish = 6,
  kSilu = 7,
  kGelu = 8
};

// What a workload's key says of its epilogue; the numbers are permanent.
enum class EpilogueClass : uint8_t { kNone = 0, kBiasAct = 1, kResidual = 2 };

// Applied to the data as it is read, per input channel: x * scale + shift, then perhaps relu. The numbers are
// permanent.
enum class Prologue : uint8_t { kNone = 0, kScaleShift = 1, kScaleShiftRelu = 2 };

struct Epilogue {
  bool bias = false;      // one value per output channel
  bool residual = false;  // a tensor of the output's shape and layout
  Activation activation = Activation::kNone;
  float lo = 0;  // kClip: bounds; kLeakyRelu: lo is the slope
  float hi = 0;

  EpilogueClass Class() const;
  // "bias,add,clip(0,6)"; "none" when empty.
  std::string ToText() const;
  // Throws Error(kBadData) naming the text.
  static Epilogue Parse(std::string_view text);
  bool operator==(const Epilogue&) const = default;
};

// The epilogue that stands for a class when a workload is tuned alone: none; bias + relu; bias + residual + relu.
Epilogue CanonicalEpilogue(EpilogueClass epilogue_class);

// One anchor operator with its shapes. float32 in and out for now; the dtype is part of the key.
struct Workload {
  std::string op;  // "nn.conv2d", "nn.dense" or "nn.batch_matmul"
  DType dtype = DType::kFloat32;
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
  // workloads have equal texts.
  std::string ToText() const;
  // Accepts the fields in any order; strides, padding, dilation, groups, layouts, dtype and epilogue may be left out.
  // Throws Error(kBadData) naming what is wrong, also for shapes that cannot be (no output, channels that groups do not
  // divide).
  static Workload Parse(std::string_view text);
  bool operator==(const Workload&) const = default;
};

}  // namespace hone
