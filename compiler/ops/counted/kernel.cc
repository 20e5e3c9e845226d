// Positions of nonzero elements, as a kernel of its own: where one is written depends on how many precede it.
//
// Three stages: count each chunk's nonzero elements, add up the counts, and write each chunk's positions behind those
// of the chunks before it.
//
//    data        [-- x - x -][- - - - -][x x x - -]        x: not zero
//    counted          2           0          3
//    added up     0           2          2                 5 is the count
//    result      [0 1 | 2 3 4 | 0 0 0 0 ...]               rows from the count on are zeros, each chunk's own
#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

constexpr int64_t kChunk = 4096;           // elements
constexpr int64_t kArgwhereWordBytes = 8;  // for each part of a position, and for a count

class ArgwhereKernel {
 public:
  ArgwhereKernel(KernelBuilder& b, const relay::Function& function)
      : b_(b),
        function_(function),
        type_(*WholeCallOf(function)->args[0]->type),
        elements_(ElementCount(type_.shape)) {}

  int64_t chunks() const { return (elements_ + kChunk - 1) / kChunk; }

  void EmitCounts(const StageArgs& args) {
    Begin(args);
    b_.For(args.begin, args.end, 1, [&](Value* chunk) {
      Value* first = b_.Mul(chunk, kChunk);
      const Vals count = b_.Loop(first, End(first), 1, {b_.Index(0)}, [&](Value* i, const Vals& so_far) {
        return Vals{b_.Add(so_far[0], b_.ir().CreateZExt(IsFound(i), b_.i64()))};
      });
      b_.Store(count[0], Word(counts_, chunk));
    });
  }

  void EmitSums(const StageArgs& args) {
    Begin(args);
    b_.For(args.begin, args.end, 1, [&](Value*) {
      const Vals sum = b_.Loop(0, chunks(), 1, {b_.Index(0)}, [&](Value* chunk, const Vals& so_far) {
        Value* count = b_.LoadAs(b_.i64(), Word(counts_, chunk));
        b_.Store(so_far[0], Word(counts_, chunk));
        return Vals{b_.Add(so_far[0], count)};
      });
      b_.Store(sum[0], total_);
    });
  }

  void EmitPositions(const StageArgs& args) {
    Begin(args);
    b_.For(args.begin, args.end, 1, [&](Value* chunk) {
      Value* first = b_.Mul(chunk, kChunk);
      const Vals start{b_.LoadAs(b_.i64(), Word(counts_, chunk))};
      b_.Loop(first, End(first), 1, start, [&](Value* i, const Vals& row) {
        Value* found = IsFound(i);
        b_.If(found, [&] { StoreRow(row[0], i); });
        return Vals{b_.Add(row[0], b_.ir().CreateZExt(found, b_.i64()))};
      });
      Value* total = b_.LoadAs(b_.i64(), total_);
      b_.For(b_.Mul(b_.Max(first, total), rank()), b_.Mul(End(first), rank()), 1,
             [&](Value* part) { b_.Store(b_.Index(0), Word(rows_, part)); });
    });
  }

 private:
  int64_t rank() const { return static_cast<int64_t>(type_.shape.size()); }
  Value* Word(Value* words, Value* i) { return b_.At(words, b_.Mul(i, kArgwhereWordBytes)); }
  Value* End(Value* first) { return b_.Min(b_.Add(first, kChunk), b_.Index(elements_)); }

  void Begin(const StageArgs& args) {
    const auto result = static_cast<int>(function_.params.size());
    data_ = b_.Operand(args, ParameterOf(function_, 0));
    rows_ = b_.Operand(args, result);
    total_ = b_.Operand(args, result + 1);
    counts_ = b_.SharedWorkspace(args);
  }

  Value* IsFound(Value* i) {
    Value* element = LoadConverted(b_, type_.dtype, b_.At(data_, b_.Mul(i, Bytes(type_.dtype))), 1, Compared());
    return EmitIsNonzero(b_, element);
  }
  DType Compared() const { return type_.dtype == DType::kBFloat16 ? DType::kFloat32 : type_.dtype; }

  void StoreRow(Value* row, Value* element) {
    Value* rest = element;
    for (int64_t d = rank(); d-- > 0;) {
      const int64_t extent = type_.shape[static_cast<size_t>(d)];
      b_.Store(b_.Mod(rest, extent), Word(rows_, b_.Add(b_.Mul(row, rank()), d)));
      rest = b_.Div(rest, extent);
    }
  }

  KernelBuilder& b_;
  const relay::Function& function_;
  const relay::Type& type_;
  int64_t elements_;
  Value *data_ = nullptr, *rows_ = nullptr, *total_ = nullptr, *counts_ = nullptr;
};

EmittedKernel EmitArgwhere(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  ArgwhereKernel kernel(builder, function);
  builder.Stage(symbol, [&](const StageArgs& args) { kernel.EmitCounts(args); });
  builder.Stage(symbol + "_1", [&](const StageArgs& args) { kernel.EmitSums(args); });
  builder.Stage(symbol + "_2", [&](const StageArgs& args) { kernel.EmitPositions(args); });
  return {{{symbol, kernel.chunks(), 1, 0}, {symbol + "_1", 1, 1, 0}, {symbol + "_2", kernel.chunks(), 1, 0}},
          kernel.chunks() * kArgwhereWordBytes};
}

}  // namespace

EmitterTable ArgwhereEmitters() { return {{"argwhere", EmitArgwhere}}; }

}  // namespace hone
