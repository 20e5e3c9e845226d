// Appended rows as a kernel of its own. A line is all positions of one index of the axes before the one that grows. Its
// new rows are one run of elements here and there.
//
//    rows     n n .          count: 2
//    result   d d d n n . .  position: 3; d are the data, which are copied unless they lie there already
//
// An item is a line. Where the result ends behind the new rows it is one row, so that a run leaves out the zeros.
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

  int64_t items() const { return Ends() ? data_.outer * extent_ : data_.outer; }

  std::vector<StageBox> Boxes() const {
    if (!Ends()) return {};
    StageBox box;
    for (int d = 0; d <= call_.attrs.GetInt("axis"); ++d) box.axes.push_back({Nth(function_.body->type->shape, d), d});
    return {box};
  }

  void Emit(const StageArgs& args) {
    if (data_.outer * data_.inner == 0 || extent_ == 0) return;
    if (!Ends()) {
      return b_.For(args.begin, args.end, 1,
                    [&](Value* line) { EmitRows(args, line, b_.Index(0), b_.Index(extent_)); });
    }
    Value* last = b_.Div(b_.Add(args.end, extent_ - 1), extent_);
    b_.For(b_.Div(args.begin, extent_), last, 1, [&](Value* line) {
      Value* start = b_.Mul(line, extent_);
      EmitRows(args, line, b_.Max(b_.Sub(args.begin, start), b_.Index(0)),
               b_.Min(b_.Sub(args.end, start), b_.Index(extent_)));
    });
  }

 private:
  bool Ends() const { return call_.attrs.GetBool("ends"); }
  int64_t RowBytes() const { return data_.inner * DTypeBytes(dtype_); }

  // Rows [begin, end) of a line of the result. Those whose position is outside are left out. A position is whatever the
  // caller gives, so no sum of it may wrap.
  void EmitRows(const StageArgs& args, Value* line, Value* begin, Value* end) {
    const auto at = [&](int operand, int64_t extent) {
      return b_.At(b_.Operand(args, operand), b_.Mul(line, extent * RowBytes()));
    };
    Value* to = at(static_cast<int>(function_.params.size()), extent_);
    Value* place = positions_ == 1 ? b_.Index(0) : b_.Div(line, data_.outer / positions_);
    Value* asked = b_.LoadAs(b_.i64(), b_.Operand(args, ParameterOf(function_, 3)));
    Value* first = b_.LoadAs(b_.i64(), b_.At(b_.Operand(args, ParameterOf(function_, 2)), b_.Mul(place, 8)));
    first = b_.Min(b_.Max(first, b_.Index(-rows_.extent)), b_.Index(extent_));
    Value* behind = b_.Add(first, b_.Max(b_.Min(asked, b_.Index(rows_.extent)), b_.Index(0)));
    if (!call_.attrs.GetBool("in_place")) {
      Value* kept = b_.Index(data_.extent);
      if (Ends()) kept = b_.Min(kept, b_.Max(first, b_.Index(0)));
      EmitCopy(at(ParameterOf(function_, 0), data_.extent), to, begin, b_.Min(end, kept));
      EmitZeros(to, b_.Max(begin, kept), b_.Min(end, first));
      EmitZeros(to, b_.Max(begin, b_.Max(kept, behind)), end);
    }
    begin = b_.Max(begin, first);
    EmitCopy(at(ParameterOf(function_, 1), rows_.extent), b_.At(to, b_.Mul(first, RowBytes())), b_.Sub(begin, first),
             b_.Sub(b_.Min(end, behind), first));
  }

  void EmitCopy(Value* from, Value* to, Value* begin, Value* end) {
    ForVectors(begin, end, [&](Value* offset, int lanes) {
      b_.Store(LoadElements(b_, dtype_, b_.At(from, offset), lanes), b_.At(to, offset));
    });
  }

  void EmitZeros(Value* to, Value* begin, Value* end) {
    llvm::Type* type = ElementType(b_, dtype_);
    ForVectors(begin, end, [&](Value* offset, int lanes) {
      b_.Store(llvm::Constant::getNullValue(lanes == 1 ? type : VectorOf(type, lanes)), b_.At(to, offset));
    });
  }

  // Calls body(offset in bytes, lanes) for the elements of rows [begin, end), of which there may be none.
  void ForVectors(Value* begin, Value* end, const std::function<void(Value* offset, int lanes)>& body) {
    const int lanes = b_.lanes();
    Value *first = b_.Mul(begin, data_.inner), *last = b_.Mul(b_.Max(begin, end), data_.inner);
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
  return {{{symbol, kernel.items(), 1, 0}}, 0, kernel.Boxes()};
}

}  // namespace

EmitterTable AppendEmitters() { return {{"append_rows", EmitAppend}}; }

}  // namespace hone
