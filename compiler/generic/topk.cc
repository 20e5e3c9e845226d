// A line's best k are a heap of k keys whose root is the worst of them: what is better takes the root's place. Sorted
// in place at the end (Williams, "Algorithm 232: Heapsort", 1964).
//
// A key is one integer, so that a comparison needs no second look and equal elements keep their order:
//
//   high half: the element as a signed number, the best the least        low half: its position
//
// At most log2(k) steps for each element that is better than the root, and one comparison for every other.
#include "compiler/generic/topk.h"

#include <bit>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/argument.h"
#include "compiler/generic/whole_call.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ops/arguments.h"
#include "compiler/relay/ops/indexing.h"

namespace hone {
namespace {

struct Line {
  Value *data, *values, *positions;  // where it begins in each operand
};

class TopKKernel {
 public:
  TopKKernel(KernelBuilder& b, const relay::Call& call)
      : b_(b),
        dtype_(TensorTypeOf(call.args[0]).dtype),
        ascending_(call.attrs.GetBool("is_ascend")),
        k_(call.attrs.GetInt("k")) {
    const Shape& shape = TensorTypeOf(call.args[0]).shape;
    view_ = relay::ViewAxis(shape, relay::NormalizedAxis(call.attrs.GetInt("axis"), shape.size()));
    half_bits_ = dtype_ == DType::kInt64 ? 64 : 32;
  }

  int64_t lines() const { return view_.outer * view_.inner; }
  int64_t workspace_bytes() const { return k_ * key_bytes(); }

  void Emit(const StageArgs& args, const relay::Function& function) {
    const auto result = static_cast<int>(function.params.size());
    heap_ = b_.WorkerWorkspace(args);
    Value *data = b_.Operand(args, ParameterOf(function, 0)), *values = b_.Operand(args, result),
          *positions = b_.Operand(args, result + 1);
    b_.For(args.begin, args.end, 1, [&](Value* line) {
      Value *outer = b_.Div(line, view_.inner), *inner = b_.Mod(line, view_.inner);
      Value* from = b_.Add(b_.Mul(outer, view_.extent * view_.inner), inner);
      Value* to = b_.Add(b_.Mul(outer, k_ * view_.inner), inner);
      EmitLine({b_.At(data, b_.Mul(from, element_bytes())), b_.At(values, b_.Mul(to, element_bytes())),
                b_.At(positions, b_.Mul(to, kPositionBytes))});
    });
  }

 private:
  static constexpr int64_t kPositionBytes = 8;

  int64_t element_bytes() const { return DTypeBytes(dtype_); }
  int64_t key_bytes() const { return half_bits_ / 4; }
  llvm::Type* half() { return b_.ir().getIntNTy(half_bits_); }
  llvm::Type* key() { return b_.ir().getIntNTy(2 * half_bits_); }
  Value* Slot(Value* i) { return b_.At(heap_, b_.Mul(i, key_bytes())); }
  Value* Held(Value* i) { return b_.LoadAs(key(), Slot(i)); }
  Value* Element(const Line& line, Value* i) {
    return b_.LoadAs(ElementType(b_, dtype_), b_.At(line.data, b_.Mul(i, view_.inner * element_bytes())));
  }

  void EmitLine(const Line& line) {
    b_.For(0, k_, 1, [&](Value* i) { b_.Store(Key(line, i), Slot(i)); });
    b_.For(0, k_ / 2, 1, [&](Value* i) {
      Value* parent = b_.Sub(b_.Index(k_ / 2 - 1), i);
      Sift(parent, Held(parent), b_.Index(k_));
    });
    b_.For(k_, view_.extent, 1, [&](Value* i) {
      Value* candidate = Key(line, i);
      b_.If(b_.ir().CreateICmpSLT(candidate, Held(b_.Index(0))), [&] { Sift(b_.Index(0), candidate, b_.Index(k_)); });
    });
    b_.For(0, k_ - 1, 1, [&](Value* i) {
      Value* last = b_.Sub(b_.Index(k_ - 1), i);
      Value* displaced = Held(last);
      b_.Store(Held(b_.Index(0)), Slot(last));
      Sift(b_.Index(0), displaced, last);
    });
    b_.For(0, k_, 1, [&](Value* i) { StoreResult(line, i); });
  }

  void StoreResult(const Line& line, Value* i) {
    Value* position = b_.ir().CreateZExt(b_.ir().CreateTrunc(Held(i), half()), b_.i64());
    b_.Store(Element(line, position), b_.At(line.values, b_.Mul(i, view_.inner * element_bytes())));
    b_.Store(position, b_.At(line.positions, b_.Mul(i, view_.inner * kPositionBytes)));
  }

  // Puts `held` into the hole at `hole`, or below it where a child is worse. As many steps as the heap is high, without
  // a branch: one that has arrived stays.
  void Sift(Value* hole, Value* held, Value* size) {
    auto& ir = b_.ir();
    const auto height = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(k_)));
    const Vals arrived = b_.Loop(0, height, 1, {hole}, [&](Value*, const Vals& at) {
      Value* left = b_.Add(b_.Mul(at[0], 2), 1);
      Value *has_left = ir.CreateICmpSLT(left, size), *right = b_.Add(left, 1);
      left = ir.CreateSelect(has_left, left, at[0]);
      right = ir.CreateSelect(ir.CreateICmpSLT(right, size), right, left);
      Value *left_key = Held(left), *right_key = Held(right);
      Value* right_worse = ir.CreateICmpSGT(right_key, left_key);
      Value *child = ir.CreateSelect(right_worse, right, left),
            *child_key = ir.CreateSelect(right_worse, right_key, left_key);
      Value* sinks = ir.CreateAnd(has_left, ir.CreateICmpSGT(child_key, held));
      b_.Store(ir.CreateSelect(sinks, child_key, held), Slot(at[0]));
      return Vals{ir.CreateSelect(sinks, child, at[0])};
    });
    b_.Store(held, Slot(arrived[0]));
  }

  Value* Key(const Line& line, Value* i) {
    auto& ir = b_.ir();
    Value* high = ir.CreateShl(ir.CreateSExt(Order(Element(line, i)), key()), static_cast<uint64_t>(half_bits_));
    return ir.CreateOr(high, ir.CreateZExtOrTrunc(i, key()));
  }

  // The element as a signed number of half a key, the best the least.
  Value* Order(Value* x) {
    auto& ir = b_.ir();
    if (IsFloat(x)) return ir.CreateSelect(ir.CreateFCmpUNO(x, x), Least(), Directed(FloatOrder(x)));
    return Directed(dtype_ == DType::kUInt8 ? ir.CreateZExt(x, half()) : ir.CreateSExtOrTrunc(x, half()));
  }
  Value* Directed(Value* order) { return ascending_ ? order : b_.ir().CreateNot(order); }
  Value* Least() { return llvm::ConstantInt::get(half(), llvm::APInt::getSignedMinValue(half_bits_)); }

  // A float's bits grow with it from 0 upwards and against it below; -0 is 0.
  Value* FloatOrder(Value* x) {
    auto& ir = b_.ir();
    Value* zero = ir.CreateFCmpOEQ(x, llvm::ConstantFP::get(x->getType(), 0));
    Value* bits = ir.CreateSelect(zero, ir.getInt32(0), ir.CreateBitCast(x, b_.i32()));
    return ir.CreateXor(bits, ir.CreateLShr(ir.CreateAShr(bits, 31), 1));
  }

  KernelBuilder& b_;
  const DType dtype_;
  const bool ascending_;
  const int64_t k_;
  relay::AxisView view_;
  unsigned half_bits_ = 32;
  Value* heap_ = nullptr;
};

}  // namespace

EmittedKernel EmitTopK(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  TopKKernel kernel(builder, *WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.Emit(args, function); });
  return {{{symbol, kernel.lines(), 1, kernel.workspace_bytes()}}, 0};
}

}  // namespace hone
