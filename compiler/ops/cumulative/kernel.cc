// Running sums and products as a kernel of its own: each element depends on the previous one. Elements are added in the
// axis's order, so that results depend neither on threads nor on vectors. Integers wrap.
//
// The tensor is [lines][extent][inner], and an item runs along `extent` with up to kChains results in registers:
//
//    inner of many vectors    kChains neighbouring vectors of one line
//    inner of few             every vector of a line, for as many lines as make kChains; a line of single elements is
//                             one chain of scalars
//
// A chain waits for its last sum at each step, so several chains together hide the latency.
#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kChains = 8;

class CumulativeKernel {
 public:
  CumulativeKernel(KernelBuilder& b, const relay::Call& call)
      : b_(b),
        dtype_(TensorTypeOf(call.args[0]).dtype),
        sums_(relay::AsOp(call.op)->def->name == "cumsum"),
        exclusive_(call.attrs.GetBool("exclusive")),
        reverse_(call.attrs.GetBool("reverse")) {
    const Shape& shape = TensorTypeOf(call.args[0]).shape;
    view_ = relay::ViewAxis(shape, relay::NormalizedAxis(call.attrs.GetInt("axis"), shape.size()));
    lanes_ = std::max<int64_t>(1, b.lanes() * 4 / DTypeBytes(dtype_));
    columns_ = std::min(view_.inner, kChains * lanes_);
    lines_ = std::max<int64_t>(1, kChains / std::max<int64_t>(1, CeilDiv(columns_, lanes_)));
    lines_ = std::min(lines_, view_.outer);
  }

  int64_t items() const { return IsEmpty() ? 1 : CeilDiv(view_.outer, lines_) * blocks(); }

  // Only the last group of lines and the last block of columns may be smaller; one of the two has only one member.
  void Emit(const StageArgs& args, Value* data, Value* result) {
    if (IsEmpty()) return;
    b_.For(args.begin, args.end, 1, [&](Value* item) {
      Value *line = b_.Mul(b_.Div(item, blocks()), lines_), *column = b_.Mul(b_.Mod(item, blocks()), columns_);
      Value* offset = b_.Add(b_.Mul(line, view_.extent * view_.inner), column);
      const Bundle whole{b_.At(data, Bytes(offset)), b_.At(result, Bytes(offset)), lines_, columns_};
      Bundle last = whole;
      if (view_.outer % lines_ != 0) last.lines = view_.outer % lines_;
      if (view_.inner % columns_ != 0) last.columns = view_.inner % columns_;
      if (last.lines == lines_ && last.columns == columns_) return Run(whole);
      Value* is_last = last.lines < lines_ ? b_.ir().CreateICmpSGE(line, b_.Index(view_.outer - last.lines))
                                           : b_.ir().CreateICmpSGE(column, b_.Index(view_.inner - last.columns));
      b_.If(is_last, [&] { Run(last); }, [&] { Run(whole); });
    });
  }

 private:
  struct Bundle {
    Value *data, *result;  // addresses of its first element
    int64_t lines, columns;
  };
  struct Chain {
    int64_t offset;  // elements from the bundle's first one
    int lanes;
  };

  bool IsEmpty() const { return view_.outer * view_.extent * view_.inner == 0; }
  int64_t blocks() const { return CeilDiv(view_.inner, columns_); }
  Value* Bytes(Value* elements) { return b_.Mul(elements, DTypeBytes(dtype_)); }

  std::vector<Chain> ChainsOf(const Bundle& bundle) const {
    std::vector<Chain> chains;
    for (int64_t line = 0; line < bundle.lines; ++line) {
      for (int64_t column = 0; column < bundle.columns; column += lanes_) {
        chains.push_back(
            {line * view_.extent * view_.inner + column, static_cast<int>(std::min(lanes_, bundle.columns - column))});
      }
    }
    return chains;
  }

  void Run(const Bundle& bundle) {
    const std::vector<Chain> chains = ChainsOf(bundle);
    Vals start;
    for (const Chain& chain : chains) start.push_back(b_.Splat(Identity(), chain.lanes));
    b_.Loop(0, view_.extent, 1, start, [&](Value* step, const Vals& held) {
      Value* at = reverse_ ? b_.Sub(b_.Index(view_.extent - 1), step) : step;
      Value* offset = Bytes(b_.Mul(at, view_.inner));
      Vals next;
      for (size_t i = 0; i < chains.size(); ++i) {
        const int64_t apart = chains[i].offset * DTypeBytes(dtype_);
        Value* x = LoadElements(b_, dtype_, b_.At(b_.At(bundle.data, offset), apart), chains[i].lanes);
        next.push_back(Joined(held[i], x));
        b_.Store(exclusive_ ? held[i] : next.back(), b_.At(b_.At(bundle.result, offset), apart));
      }
      return next;
    });
  }

  Value* Identity() {
    llvm::Type* type = ElementType(b_, dtype_);
    if (IsFloat(dtype_)) return llvm::ConstantFP::get(type, sums_ ? 0 : 1);
    return llvm::ConstantInt::get(type, sums_ ? 0 : 1);
  }
  Value* Joined(Value* held, Value* x) {
    if (IsFloat(dtype_)) return sums_ ? b_.FAdd(held, x) : b_.FMul(held, x);
    return sums_ ? b_.ir().CreateAdd(held, x) : b_.ir().CreateMul(held, x);
  }

  KernelBuilder& b_;
  const DType dtype_;
  const bool sums_, exclusive_, reverse_;
  relay::AxisView view_;
  int64_t lanes_ = 1;                // elements in a vector
  int64_t lines_ = 1, columns_ = 1;  // extents of a work item
};

EmittedKernel EmitCumulative(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  CumulativeKernel kernel(builder, *WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) {
    kernel.Emit(args, builder.Operand(args, ParameterOf(function, 0)),
                builder.Operand(args, static_cast<int>(function.params.size())));
  });
  return {{{symbol, kernel.items(), 1, 0}}, 0};
}

}  // namespace

EmitterTable CumulativeEmitters() { return {{"cumsum", EmitCumulative}, {"cumprod", EmitCumulative}}; }

}  // namespace hone
