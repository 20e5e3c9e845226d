// A line's best k are a heap of k keys whose root is the worst of them: what is better takes the root's place. Sorted
// in place at the end.
//
// A key is one integer, so that a comparison needs no second look and equal elements keep their order:
//
//   high half: the element as a signed number, the best the least        low half: its position
//
// At most log2(k) steps for each element that is better than the root, and one comparison for every other.
#include "compiler/generic/topk.h"

#include <optional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/argument.h"
#include "compiler/generic/key_heap.h"
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
    heap_.emplace(b_, key(), b_.WorkerWorkspace(args), k_);
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
  Value* Element(const Line& line, Value* i) {
    return b_.LoadAs(ElementType(b_, dtype_), b_.At(line.data, b_.Mul(i, view_.inner * element_bytes())));
  }

  void EmitLine(const Line& line) {
    b_.For(0, k_, 1, [&](Value* i) { heap_->Hold(Key(line, i), i); });
    heap_->Order(b_.Index(k_));
    b_.For(k_, view_.extent, 1, [&](Value* i) {
      Value* candidate = Key(line, i);
      b_.If(b_.ir().CreateICmpSLT(candidate, heap_->Held(b_.Index(0))),
            [&] { heap_->Sift(b_.Index(0), candidate, b_.Index(k_)); });
    });
    b_.For(0, k_ - 1, 1, [&](Value* i) {
      Value* last = b_.Sub(b_.Index(k_ - 1), i);
      Value* displaced = heap_->Held(last);
      heap_->Hold(heap_->Held(b_.Index(0)), last);
      heap_->Sift(b_.Index(0), displaced, last);
    });
    b_.For(0, k_, 1, [&](Value* i) { StoreResult(line, i); });
  }

  void StoreResult(const Line& line, Value* i) {
    Value* position = b_.ir().CreateZExt(b_.ir().CreateTrunc(heap_->Held(i), half()), b_.i64());
    b_.Store(Element(line, position), b_.At(line.values, b_.Mul(i, view_.inner * element_bytes())));
    b_.Store(position, b_.At(line.positions, b_.Mul(i, view_.inner * kPositionBytes)));
  }

  Value* Key(const Line& line, Value* i) {
    auto& ir = b_.ir();
    Value* high = ir.CreateShl(ir.CreateSExt(Order(Element(line, i)), key()), static_cast<uint64_t>(half_bits_));
    return ir.CreateOr(high, ir.CreateZExtOrTrunc(i, key()));
  }

  // The element as a signed number of half a key, the best the least.
  Value* Order(Value* x) {
    auto& ir = b_.ir();
    if (IsFloat(x)) return ir.CreateSelect(ir.CreateFCmpUNO(x, x), Least(), Directed(FloatOrder(b_, x)));
    return Directed(dtype_ == DType::kUInt8 ? ir.CreateZExt(x, half()) : ir.CreateSExtOrTrunc(x, half()));
  }
  Value* Directed(Value* order) { return ascending_ ? order : b_.ir().CreateNot(order); }
  Value* Least() { return llvm::ConstantInt::get(half(), llvm::APInt::getSignedMinValue(half_bits_)); }

  KernelBuilder& b_;
  const DType dtype_;
  const bool ascending_;
  const int64_t k_;
  relay::AxisView view_;
  unsigned half_bits_ = 32;
  std::optional<KeyHeap> heap_;
};

}  // namespace

EmittedKernel EmitTopK(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  TopKKernel kernel(builder, *WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.Emit(args, function); });
  return {{{symbol, kernel.lines(), 1, kernel.workspace_bytes()}}, 0};
}

}  // namespace hone
