// Appended rows as a kernel of its own. An item is a line: all positions of one index of the axes before the one that
// grows. Its new rows are one run of elements here and there.
//
//    rows     n n .          count: 2
//    result   d d d n n . .  position: 3; d are the data, which are copied unless they lie there already
#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {
namespace {

class AppendKernel {
 public:
  AppendKernel(KernelBuilder& b, const relay::Function& function)
      : b_(b), function_(function), call_(*WholeCallOf(function)), dtype_(TensorTypeOf(call_.args[0]).dtype) {
    const int64_t axis = call_.attrs.GetInt("axis");
    data_ = relay::ViewAxis(TensorTypeOf(call_.args[0]).shape, axis);
    rows_ = relay::ViewAxis(TensorTypeOf(call_.args[1]).shape, axis);
    positions_ = std::max<int64_t>(1, ElementCount(TensorTypeOf(call_.args[2]).shape));
    extent_ = Nth(function.body->type->shape, axis);
  }

  int64_t lines() const { return data_.outer; }

  void Emit(const StageArgs& args) {
    if (data_.outer * data_.inner == 0) return;
    const auto argument = [&](size_t i) { return b_.Operand(args, ParameterOf(function_, i)); };
    Value *positions = argument(2), *to = b_.Operand(args, static_cast<int>(function_.params.size()));
    Value *data = call_.attrs.GetBool("in_place") ? nullptr : argument(0), *rows = argument(1);
    Value* asked = b_.LoadAs(b_.i64(), argument(3));
    b_.For(args.begin, args.end, 1, [&](Value* line) {
      Value* whole = b_.At(to, b_.Mul(line, extent_ * RowBytes()));
      if (data != nullptr) EmitData(b_.At(data, b_.Mul(line, data_.extent * RowBytes())), whole);
      Value* place = positions_ == 1 ? b_.Index(0) : b_.Div(line, data_.outer / positions_);
      Value* first = b_.LoadAs(b_.i64(), b_.At(positions, b_.Mul(place, 8)));
      EmitRows(b_.At(rows, b_.Mul(line, rows_.extent * RowBytes())), asked, first, whole);
    });
  }

 private:
  int64_t RowBytes() const { return data_.inner * DTypeBytes(dtype_); }

  void EmitData(Value* data, Value* whole) {
    ForVectors(b_.Index(0), b_.Index(data_.extent * data_.inner), [&](Value* offset, int lanes) {
      b_.Store(LoadElements(b_, dtype_, b_.At(data, offset), lanes), b_.At(whole, offset));
    });
    ForVectors(b_.Index(data_.extent * data_.inner), b_.Index(extent_ * data_.inner), [&](Value* offset, int lanes) {
      llvm::Type* type = ElementType(b_, dtype_);
      b_.Store(llvm::Constant::getNullValue(lanes == 1 ? type : VectorOf(type, lanes)), b_.At(whole, offset));
    });
  }

  // Only rows whose position is inside. A position is whatever the caller gives, so no sum of it may wrap.
  void EmitRows(Value* rows, Value* asked, Value* first, Value* whole) {
    first = b_.Min(b_.Max(first, b_.Index(-rows_.extent)), b_.Index(extent_));
    Value* begin = b_.Max(b_.Index(0), b_.Sub(b_.Index(0), first));
    Value* end = b_.Min(b_.Min(asked, b_.Index(rows_.extent)), b_.Sub(b_.Index(extent_), first));
    Value* target = b_.At(whole, b_.Mul(first, RowBytes()));
    ForVectors(b_.Mul(begin, data_.inner), b_.Mul(end, data_.inner), [&](Value* offset, int lanes) {
      b_.Store(LoadElements(b_, dtype_, b_.At(rows, offset), lanes), b_.At(target, offset));
    });
  }

  // Calls body(offset in bytes, lanes) for the elements [first, last), of which there may be none.
  void ForVectors(Value* first, Value* last, const std::function<void(Value* offset, int lanes)>& body) {
    const int lanes = b_.lanes();
    last = b_.Max(first, last);
    Value* whole = b_.Add(first, b_.Mul(b_.Div(b_.Sub(last, first), lanes), lanes));
    const auto at = [&](Value* element) { return b_.Mul(element, DTypeBytes(dtype_)); };
    b_.For(first, whole, lanes, [&](Value* element) { body(at(element), lanes); });
    b_.For(whole, last, 1, [&](Value* element) { body(at(element), 1); });
  }

  KernelBuilder& b_;
  const relay::Function& function_;
  const relay::Call& call_;
  const DType dtype_;
  relay::AxisView data_, rows_;
  int64_t positions_ = 1, extent_ = 0;
};

EmittedKernel EmitAppend(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  AppendKernel kernel(builder, function);
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.Emit(args); });
  return {{{symbol, kernel.lines(), 1, 0}}, 0};
}

}  // namespace

EmitterTable AppendEmitters() { return {{"append_rows", EmitAppend}}; }

}  // namespace hone
