#include "compiler/schedules/reference_kernel.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/block_panels.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/reference_blocks.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

// A batch_matmul's definition in plain loops. Operands are ReferenceOperands(workload): data, weight, then the value
// and its magnitude in float64. Work items are the output's rows.
EmittedKernel EmitReferenceBatchMatmul(KernelBuilder& b, const Workload& workload, const std::string& symbol) {
  const MatmulShape s(workload);
  const auto& types = workload.types;
  const auto x_bytes = [&](int64_t elements) { return Bytes(types.data, elements); };
  const auto w_bytes = [&](int64_t elements) { return Bytes(types.weight, elements); };
  const auto load = [&](DType type, Value* ptr) { return LoadConverted(b, type, ptr, 1, DType::kFloat64); };
  const bool centred = types.whole();
  const Epilogue epilogue = CanonicalEpilogue(workload);
  const int output = static_cast<int>(ComputedOperands(workload, epilogue).size());
  b.Stage(symbol, [&](const StageArgs& args) {
    Value *data = b.Operand(args, 0), *weight = b.Operand(args, 1);
    Vals zeros;
    for (int i = 0; centred && i < 2; ++i) {
      zeros.push_back(load(DType::kInt32, b.At(b.Operand(args, 2), Bytes(DType::kInt32, i))));
    }
    const auto factor = [&](int i, DType type, Value* ptr) {
      return centred ? b.ir().CreateFSub(load(type, ptr), Nth(zeros, i)) : load(type, ptr);
    };
    b.For(args.begin, args.end, 1, [&](Value* item) {
      // Work items are output rows in memory order: [B, M] or [M, B].
      const bool batch_first = s.output.first == 'B';
      Value* outer = b.Div(item, batch_first ? s.M : s.B);
      Value* inner = b.Mod(item, batch_first ? s.M : s.B);
      Value *product = batch_first ? outer : inner, *m = batch_first ? inner : outer;
      Value* x = b.At(data, b.Add(b.Mul(product, x_bytes(s.data.batch)), b.Mul(m, x_bytes(s.data.row))));
      b.For(0, s.N, 1, [&](Value* n) {
        Value* w = b.At(weight, b.Add(b.Mul(product, w_bytes(s.weight.batch)), b.Mul(n, w_bytes(s.weight.row))));
        Value* zero = llvm::ConstantFP::get(b.f64(), 0);
        const Vals sums = b.Loop(0, s.K, 1, {zero, zero}, [&](Value* k, const Vals& sum) {
          Value* product_of = b.FMul(factor(0, types.data, b.At(x, b.Mul(k, x_bytes(s.data.column)))),
                                     factor(1, types.weight, b.At(w, b.Mul(k, w_bytes(s.weight.column)))));
          Value* size = b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, product_of);
          // Sums of bytes are exact: there is no error to allow.
          return Vals{b.FAdd(sum[0], product_of), centred ? sum[1] : b.FAdd(sum[1], size)};
        });
        Value* at = b.Mul(b.Add(b.Mul(item, s.N), n), Bytes(DType::kFloat64));
        Value* value = sums[0];
        if (centred) {
          EpilogueOperands operands;
          if (epilogue.scale) operands.scale = b.At(b.Operand(args, output - 1), b.Mul(n, Bytes(DType::kFloat32)));
          value = EmitEpilogue(b, epilogue, types, b.ir().CreateFPToSI(value, b.i32()), operands);
          value = Converted(b, value, types.output, DType::kFloat64);
        }
        b.Store(value, b.At(b.Operand(args, output), at));
        b.Store(sums[1], b.At(b.Operand(args, output + 1), at));
      });
    });
  });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, s.B * s.M, 1, 0});
  return kernel;
}

// Gives a dense layer as a convolution: M images of K channels, with one pixel and a 1x1 kernel.
ConvShape AsConv(const Workload& w) {
  if (w.is_conv()) return ConvShape(w);
  Workload conv = w;
  conv.op = "nn.conv2d";
  conv.data = {w.data[0], w.data[1], 1, 1};
  conv.weight = {w.weight[0], w.weight[1], 1, 1};
  return ConvShape(conv);
}

// The loop nest. At stride 1 a step of the column loop is `lanes_` columns, else one column.
//
//   for image, for output channel, for row of outputs       the work items
//     value = bias, magnitude = |bias|
//     for input channel of the group, for kernel row that reads inside the input, for tap
//       for column: value += x * w, magnitude += |x| * |w|
//     residual, relu; with bytes the epilogue of every kernel
class ReferenceEmitter {
  static constexpr int64_t kSum = sizeof(double);  // bytes of a sum: the outputs are float64

 public:
  ReferenceEmitter(KernelBuilder& builder, const ConvShape& shape, const Workload& w, const Epilogue& epilogue)
      : b_(builder),
        s_(shape),
        types_(w.types),
        prologue_(w.prologue),
        epilogue_(epilogue),
        lanes_(builder.lanes() / 2),
        data_bytes_(Bytes(w.types.data)),
        weight_bytes_(Bytes(w.types.weight)) {}

  void Emit(const StageArgs& args) {
    int next = 1;
    data_ = b_.Operand(args, 0);
    if (prologue_ != Prologue::kNone) {
      scales_ = b_.Operand(args, next++);
      shifts_ = b_.Operand(args, next++);
    }
    weight_ = b_.Operand(args, next++);
    if (epilogue_.offset) bias_ = b_.Operand(args, next++);
    if (epilogue_.scale) channel_scales_ = b_.Operand(args, next++);
    if (epilogue_.bias) bias_ = b_.Operand(args, next++);
    if (epilogue_.residual) residual_ = b_.Operand(args, next++);
    value_ = b_.Operand(args, next++);
    magnitude_ = b_.Operand(args, next);
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value* oh = b_.Mod(item, s_.OH);
      Value* plane = b_.Div(item, s_.OH);
      Value* o = b_.Mod(plane, s_.O);
      Row(item, b_.Div(plane, s_.O), o, oh);
    });
  }

 private:
  // The sums are kept in the outputs, which are float64, so that columns are the innermost loop. So vectors run along a
  // row, for any number of channels and taps.
  void Row(Value* item, Value* n, Value* o, Value* oh) {
    Value* y = b_.At(value_, b_.Mul(item, s_.OW * kSum));
    Value* m = b_.At(magnitude_, b_.Mul(item, s_.OW * kSum));
    const DType bias_type = epilogue_.offset ? DType::kInt32 : DType::kFloat32;
    Value* bias = bias_ ? LoadVector(bias_type, bias_, o) : llvm::ConstantFP::get(b_.f64(), 0);
    Value* bias_size = Abs(bias);
    b_.For(0, s_.OW, 1, [&](Value* ow) {
      b_.Store(bias, b_.At(y, b_.Mul(ow, kSum)));
      b_.Store(bias_size, b_.At(m, b_.Mul(ow, kSum)));
    });
    Value* first_channel = b_.Mul(b_.Div(o, s_.group_out), s_.group_in);
    Value* w = b_.At(weight_, b_.Mul(o, s_.group_in * s_.KH * s_.KW * weight_bytes_));
    b_.For(0, s_.group_in, 1, [&](Value* ic) {
      Value* channel = b_.Add(b_.Mul(n, s_.C), b_.Add(first_channel, ic));
      Value* plane = b_.At(data_, b_.Mul(channel, s_.H * s_.W * data_bytes_));
      if (prologue_ != Prologue::kNone) {
        Value* at = b_.Add(first_channel, ic);
        scale_ = LoadVector(DType::kFloat32, scales_, at);
        shift_ = LoadVector(DType::kFloat32, shifts_, at);
      }
      b_.For(0, s_.KH, 1, [&](Value* kh) {
        Value* h = b_.Sub(b_.Add(b_.Mul(oh, s_.stride_h), b_.Mul(kh, s_.dil_h)), b_.Index(s_.pad_t));
        Value* inside = b_.ir().CreateICmpULT(h, b_.Index(s_.H));
        b_.If(inside,
              [&] { KernelRow(b_.At(plane, b_.Mul(h, s_.W * data_bytes_)), b_.At(w, TapOffset(ic, kh)), y, m); });
      });
    });
    types_.whole() ? FinishWhole(item, o, y, m) : Finish(item, y, m);
  }

  Value* TapOffset(Value* ic, Value* kh) {
    return b_.Add(b_.Mul(ic, s_.KH * s_.KW * weight_bytes_), b_.Mul(kh, s_.KW * weight_bytes_));
  }

  void KernelRow(Value* x, Value* w, Value* y, Value* m) {
    for (int64_t kw = 0; kw < s_.KW; ++kw) {
      const int64_t first = kw * s_.dil_w - s_.pad_l;  // input column of output 0
      const int64_t lo = first >= 0 ? 0 : CeilDiv(-first, s_.stride_w);
      const int64_t hi = std::min(s_.OW, CeilDiv(s_.W - first, s_.stride_w));
      if (lo >= hi) continue;
      Value* weight = LoadVector(types_.weight, w, b_.Index(kw));
      const int64_t wide = s_.stride_w == 1 ? (hi - lo) / lanes_ * lanes_ : 0;
      b_.For(lo, lo + wide, lanes_, [&](Value* ow) { Accumulate(x, first, weight, y, m, ow, lanes_); });
      b_.For(lo + wide, hi, 1, [&](Value* ow) { Accumulate(x, first, weight, y, m, ow, 1); });
    }
  }

  void Accumulate(Value* x, int64_t first, Value* weight, Value* y, Value* m, Value* ow, int lanes) {
    auto* type = lanes == 1 ? b_.f64() : llvm::FixedVectorType::get(b_.f64(), static_cast<unsigned>(lanes));
    Value* column = b_.Add(b_.Mul(ow, s_.stride_w), first);
    Value* value = LoadVector(types_.data, x, column, lanes);
    Value* size = Abs(value);
    if (prologue_ != Prologue::kNone) {
      Value* scaled = b_.FMul(value, b_.Splat(scale_, lanes));
      value = b_.FAdd(scaled, b_.Splat(shift_, lanes));
      // Terms that cancel in the sum still leave their rounding errors.
      size = b_.FAdd(Abs(scaled), Abs(b_.Splat(shift_, lanes)));
    }
    if (prologue_ == Prologue::kScaleShiftRelu) value = b_.FMax(value, llvm::ConstantFP::get(type, 0));
    Value* product = b_.FMul(value, b_.Splat(weight, lanes));
    size = b_.FMul(size, Abs(b_.Splat(weight, lanes)));
    Value* ya = b_.At(y, b_.Mul(ow, kSum));
    Value* ma = b_.At(m, b_.Mul(ow, kSum));
    b_.Store(b_.FAdd(b_.LoadAs(type, ya), product), ya);
    b_.Store(b_.FAdd(b_.LoadAs(type, ma), size), ma);
  }

  // The canonical epilogues end in a relu or without an activation.
  void Finish(Value* item, Value* y, Value* m) {
    if (!epilogue_.residual && epilogue_.activation == nullptr) return;
    b_.For(0, s_.OW, 1, [&](Value* ow) {
      Value* ya = b_.At(y, b_.Mul(ow, kSum));
      Value* value = b_.LoadAs(b_.f64(), ya);
      if (epilogue_.residual) {
        Value* row = b_.At(residual_, b_.Mul(item, Bytes(types_.output, s_.OW)));
        Value* r = LoadVector(types_.output, row, ow);
        Value* ma = b_.At(m, b_.Mul(ow, kSum));
        b_.Store(b_.FAdd(b_.LoadAs(b_.f64(), ma), Abs(r)), ma);
        value = b_.FAdd(value, r);
      }
      if (epilogue_.activation != nullptr) value = b_.FMax(value, llvm::ConstantFP::get(b_.f64(), 0));
      b_.Store(value, ya);
    });
  }

  // The sum is exact in float64, and the epilogue rounds as in every kernel. So a candidate must have exactly these
  // bits, and the magnitude is 0: no error is allowed.
  void FinishWhole(Value* item, Value* o, Value* y, Value* m) {
    b_.For(0, s_.OW, 1, [&](Value* ow) {
      Value* ya = b_.At(y, b_.Mul(ow, kSum));
      EpilogueOperands operands;
      if (channel_scales_) operands.scale = b_.At(channel_scales_, b_.Mul(o, Bytes(DType::kFloat32)));
      if (residual_) {
        Value* row = b_.At(residual_, b_.Mul(item, Bytes(types_.output, s_.OW)));
        operands.residual = b_.At(row, b_.Mul(ow, Bytes(types_.output)));
      }
      Value* sum = b_.ir().CreateFPToSI(b_.LoadAs(b_.f64(), ya), b_.i32());
      Value* done = EmitEpilogue(b_, epilogue_, types_, sum, operands);
      b_.Store(Converted(b_, done, types_.output, DType::kFloat64), ya);
      b_.Store(llvm::ConstantFP::get(b_.f64(), 0), b_.At(m, b_.Mul(ow, kSum)));
    });
  }

  // Loads elements of `base` from number `at` on, as float64.
  Value* LoadVector(DType stored, Value* base, Value* at, int lanes = 1) {
    return LoadConverted(b_, stored, b_.At(base, b_.Mul(at, Bytes(stored))), lanes, DType::kFloat64);
  }
  Value* Abs(Value* v) { return b_.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); }

  KernelBuilder& b_;
  const ConvShape& s_;
  const ElementTypes& types_;
  Prologue prologue_;
  const Epilogue& epilogue_;
  int lanes_;
  int64_t data_bytes_, weight_bytes_;  // bytes of an element of the data and of the weights
  Value *scales_ = nullptr, *shifts_ = nullptr, *scale_ = nullptr, *shift_ = nullptr;
  Value *data_ = nullptr, *weight_ = nullptr, *bias_ = nullptr, *residual_ = nullptr, *channel_scales_ = nullptr,
        *value_ = nullptr, *magnitude_ = nullptr;
};

}  // namespace

std::vector<KernelOperand> ReferenceOperands(const Workload& w) {
  if (w.is_batch_matmul()) {
    const KernelOperand output{OperandRole::kOutput, DType::kFloat64, w.OutputShape(), Layout::Parse(w.OperandAxes(2))};
    std::vector<KernelOperand> operands = ComputedOperands(w, CanonicalEpilogue(w));
    operands.insert(operands.end(), {output, output});
    return operands;
  }
  const Epilogue epilogue = CanonicalEpilogue(w);
  const bool conv = w.is_conv();
  const Layout image = Layout::Parse(conv ? "NCHW" : "MN");
  std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, Layout::Parse(conv ? "NCHW" : "MK")}};
  if (w.prologue != Prologue::kNone) {
    operands.push_back({OperandRole::kScale, DType::kFloat32, {w.data[1], 1, 1}, Layout::Parse("CHW")});
    operands.push_back({OperandRole::kShift, DType::kFloat32, {w.data[1], 1, 1}, Layout::Parse("CHW")});
  }
  operands.push_back({OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse(conv ? "OIHW" : "NK")});
  if (w.op == "nn.dense_blocks") AddBlockOperands(w, Layout::Parse("NK"), operands);
  AddChannelOperands(w, epilogue, Layout::Parse(conv ? "O" : "N"), Layout::Parse("CHW"), operands);
  if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), image});
  operands.push_back({OperandRole::kOutput, DType::kFloat64, w.OutputShape(), image});
  operands.push_back({OperandRole::kOutput, DType::kFloat64, w.OutputShape(), image});
  return operands;
}

EmittedKernel EmitReference(KernelBuilder& builder, const Workload& workload, const std::string& symbol) {
  if (workload.is_batch_matmul()) return EmitReferenceBatchMatmul(builder, workload, symbol);
  if (workload.op == "nn.dense_blocks") return EmitReferenceBlocks(builder, workload, symbol);
  const ConvShape shape = AsConv(workload);
  const Epilogue epilogue = CanonicalEpilogue(workload);
  builder.Stage(symbol,
                [&](const StageArgs& args) { ReferenceEmitter(builder, shape, workload, epilogue).Emit(args); });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, shape.N * shape.O * shape.OH, 1, 0});
  return kernel;
}

}  // namespace hone
