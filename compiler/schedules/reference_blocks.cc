#include "compiler/schedules/reference_blocks.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/rounding.h"
#include "compiler/schedules/matmul/block_panels.h"

namespace hone {
namespace {

// Work items are the output's elements.
class BlockReference {
 public:
  BlockReference(KernelBuilder& b, const Workload& w, const StageArgs& args)
      : b_(b),
        format_(BlockFormat::Parse(w.layouts)),
        depth_(w.data[1]),
        units_(w.weight[0]),
        quantises_(w.types.accumulator == DType::kInt32),
        args_(args) {
    const Epilogue epilogue = CanonicalEpilogue(w);
    int next = BlockOperands(w);
    bias_ = epilogue.bias ? b_.Operand(args, next++) : nullptr;
    residual_ = epilogue.residual ? b_.Operand(args, next++) : nullptr;
    relu_ = epilogue.activation != nullptr;
    value_ = b_.Operand(args, next);
    magnitude_ = b_.Operand(args, next + 1);
  }

  void Emit() {
    Value *x = b_.Operand(args_, 0), *zero = llvm::ConstantFP::get(b_.f64(), 0);
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value *unit = b_.Mod(item, units_), *row = b_.Div(item, units_);
      Value* data = b_.At(x, b_.Mul(row, Bytes(DType::kFloat32, depth_)));
      const Vals sums = b_.Loop(0, format_.Blocks(depth_), 1, {zero, zero},
                                [&](Value* block, const Vals& before) { return Block(data, unit, block, before); });
      Finish(item, unit, sums[0], sums[1]);
    });
  }

 private:
  Vals Block(Value* data, Value* unit, Value* block, const Vals& before) {
    Value* first = b_.Mul(block, format_.block);
    Value* end = b_.Min(b_.Add(first, format_.block), b_.Index(depth_));
    Value* largest = quantises_ ? Largest(data, first, end) : nullptr;
    return b_.Loop(first, end, 1, before, [&](Value* k, const Vals& sum) {
      Value* product = b_.FMul(Factor(data, k, largest), Weight(unit, k));
      return Vals{b_.FAdd(sum[0], product), b_.FAdd(sum[1], Size(product))};
    });
  }

  // The largest magnitude of a block of data, float32.
  Value* Largest(Value* data, Value* first, Value* end) {
    return b_.Loop(first, end, 1, {b_.Float(0)}, [&](Value* k, const Vals& most) {
      return Vals{b_.FMax(most[0], Size(b_.Load(b_.At(data, b_.Mul(k, Bytes(DType::kFloat32))))))};
    })[0];
  }

  // An element of data; if rows are quantised, its byte times the step. The byte is rounded as kernels do.
  Value* Factor(Value* data, Value* k, Value* largest) {
    if (largest == nullptr) return At(DType::kFloat32, data, k);
    auto& ir = b_.ir();
    const llvm::IRBuilderBase::FastMathFlagGuard restores(ir);
    ir.clearFastMathFlags();
    Value *zero = b_.Float(0), *most = b_.Float(127);
    Value* x = b_.Load(b_.At(data, b_.Mul(k, Bytes(DType::kFloat32))));
    Value* factor = ir.CreateSelect(ir.CreateFCmpOGT(largest, zero), b_.FDiv(most, largest), zero);
    Value* byte = ir.CreateFPExt(EmitRound(b_, b_.FMul(x, factor)), b_.f64());
    return b_.FMul(byte, ir.CreateFPExt(b_.FDiv(largest, most), b_.f64()));
  }

  Value* Weight(Value* unit, Value* k) {
    auto& ir = b_.ir();
    const auto above = static_cast<uint64_t>(32 - format_.bits);
    const auto in_row = [&](Value* at, int64_t row) { return b_.Add(b_.Mul(unit, row), at); };
    Value* words = in_row(b_.Div(k, format_.per_word()), format_.Words(depth_));
    Value* word = LoadElements(b_, DType::kInt32, b_.At(b_.Operand(args_, 1), b_.Mul(words, Bytes(DType::kInt32))), 1);
    Value* below = ir.CreateTrunc(b_.Mul(b_.Mod(k, format_.per_word()), format_.bits), b_.i32());
    Value* integer = ir.CreateAShr(ir.CreateShl(ir.CreateLShr(word, below), above), above);
    Value* real = ir.CreateSIToFP(integer, b_.f64());
    Value* block = in_row(b_.Div(k, format_.block), format_.Blocks(depth_));
    if (format_.zeros) real = b_.FSub(real, At(DType::kInt8, b_.Operand(args_, 3), block));
    return b_.FMul(real, At(DType::kFloat32, b_.Operand(args_, 2), block));
  }

  // The canonical epilogues end in a relu or without an activation.
  void Finish(Value* item, Value* unit, Value* value, Value* magnitude) {
    const auto add = [&](Value* base, Value* at) {
      if (base == nullptr) return;
      Value* more = At(DType::kFloat32, base, at);
      value = b_.FAdd(value, more);
      magnitude = b_.FAdd(magnitude, Size(more));
    };
    add(bias_, unit);
    add(residual_, item);
    if (relu_) value = b_.FMax(value, llvm::ConstantFP::get(b_.f64(), 0));
    b_.Store(value, b_.At(value_, b_.Mul(item, Bytes(DType::kFloat64))));
    b_.Store(magnitude, b_.At(magnitude_, b_.Mul(item, Bytes(DType::kFloat64))));
  }

  Value* At(DType type, Value* base, Value* element) {
    return LoadConverted(b_, type, b_.At(base, b_.Mul(element, Bytes(type))), 1, DType::kFloat64);
  }
  Value* Size(Value* v) { return b_.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); }

  KernelBuilder& b_;
  BlockFormat format_;
  int64_t depth_, units_;
  bool quantises_;
  const StageArgs& args_;
  Value *bias_ = nullptr, *residual_ = nullptr, *value_ = nullptr, *magnitude_ = nullptr;
  bool relu_ = false;
};

}  // namespace

EmittedKernel EmitReferenceBlocks(KernelBuilder& builder, const Workload& workload, const std::string& symbol) {
  builder.Stage(symbol, [&](const StageArgs& args) { BlockReference(builder, workload, args).Emit(); });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, workload.data[0] * workload.weight[0], 1, 0});
  return kernel;
}

}  // namespace hone
