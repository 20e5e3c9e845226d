// Local response normalisation over a window of channels (Krizhevsky, Sutskever, Hinton, "ImageNet classification with
// deep convolutional neural networks", 2012).
#include <algorithm>

#include "compiler/codegen/math/math.h"
#include "compiler/ops/kernel_families.h"
#include "core/nth.h"

namespace hone {
namespace {

struct LrnWindow {
  size_t axis;
  int64_t extent, below, above;
};

LrnWindow LrnWindowOf(const relay::Call& call, size_t rank) {
  const int64_t axis = call.attrs.GetInt("axis", 1), size = call.attrs.GetInt("size", 5);
  const auto where = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
  // An even window reaches one channel further up than down.
  return {where, call.type->shape[where], (size - 1) / 2, size / 2};
}

// Squares of one block of lanes; zero if the block is outside the axis.
Value* BlockSquares(Evaluator& e, const relay::Call& call, const LrnWindow& window, Coordinates at, int64_t shift,
                    Lanes lanes) {
  KernelBuilder& b = e.b();
  const Coordinate& own = at[window.axis];
  const int64_t blocks = (window.extent + own.block - 1) / own.block;
  Value* block = b.Add(own.block_index, shift);
  Value* inside = b.Min(b.Max(block, b.Index(0)), b.Index(blocks - 1));
  at[window.axis] = {b.Mul(inside, own.block), 1, inside, own.block};
  // Reads all lanes, because those past the axis are zero at rest.
  Value* x = e.Eval(call.args[0], at, {lanes.count, lanes.count});
  Value* squares = b.FMul(x, x);
  if (shift == 0) return squares;
  Value* zero = llvm::Constant::getNullValue(squares->getType());
  return b.ir().CreateSelect(b.ir().CreateICmpEQ(block, inside), squares, zero);
}

// Lanes [offset, offset + count) of `low` followed by `high`.
Value* Slid(KernelBuilder& b, Value* low, Value* high, int64_t offset, int count) {
  std::vector<int> mask(static_cast<size_t>(count));
  for (int l = 0; l < count; ++l) Nth(mask, l) = static_cast<int>(offset) + l;
  return b.ir().CreateShuffleVector(low, high, llvm::ArrayRef<int>(mask));
}

// For lanes along the channels of a blocked layout: shuffles take neighbours from adjacent blocks.
//
//    squares in blocks of 4     a b c d | e f g h | i j k l
//    window of 3, at e f g h    d e f g + e f g h + f g h i
Value* SquaresAcrossBlocks(Evaluator& e, const relay::Call& call, const LrnWindow& window, const Coordinates& at,
                           Lanes lanes) {
  KernelBuilder& b = e.b();
  Value* middle = BlockSquares(e, call, window, at, 0, lanes);
  Value* low = window.below > 0 ? BlockSquares(e, call, window, at, -1, lanes) : nullptr;
  Value* high = window.above > 0 ? BlockSquares(e, call, window, at, 1, lanes) : nullptr;
  Value* sum = middle;
  for (int64_t d = 1; d <= window.below; ++d) sum = b.FAdd(sum, Slid(b, low, middle, lanes.count - d, lanes.count));
  for (int64_t d = 1; d <= window.above; ++d) sum = b.FAdd(sum, Slid(b, middle, high, d, lanes.count));
  return sum;
}

// The window's channels one after the other, clipped to the axis.
Value* SquaresOneByOne(Evaluator& e, const relay::Call& call, const LrnWindow& window, const Coordinates& at,
                       Lanes lanes) {
  KernelBuilder& b = e.b();
  Value* first = b.Max(b.Add(at[window.axis].base, -window.below), b.Index(0));
  Value* last = b.Min(b.Add(at[window.axis].base, window.above + 1), b.Index(window.extent));
  Value* zero = llvm::Constant::getNullValue(VectorOf(b.f32(), lanes.count));
  return b.Loop(first, last, 1, {zero}, [&](Value* c, const Vals& sum) {
    Coordinates from = at;
    from[window.axis] = At(c);
    Value* x = e.Eval(call.args[0], from, lanes);
    return Vals{b.Fma(x, x, sum[0])};
  })[0];
}

Value* Lrn(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const LrnWindow window = LrnWindowOf(call, at.size());
  const Coordinate& channel = at[window.axis];
  const bool in_blocks = channel.step == 1 && channel.block == lanes.count && relay::AsVar(call.args[0]) &&
                         std::max(window.below, window.above) <= channel.block && e.ReadsBlocks(call.args[0], channel);
  if (channel.step != 0 && !in_blocks) {
    return e.PerLane(lanes, at, call.type->dtype, [&](const Coordinates& one) { return Lrn(e, call, one, kScalar); });
  }
  Value* squares =
      in_blocks ? SquaresAcrossBlocks(e, call, window, at, lanes) : SquaresOneByOne(e, call, window, at, lanes);
  const double alpha = call.attrs.GetFloat("alpha", 1e-5) / static_cast<double>(call.attrs.GetInt("size", 5));
  Value* scale = b.Fma(squares, b.FloatVec(static_cast<float>(alpha), lanes.count),
                       b.FloatVec(static_cast<float>(call.attrs.GetFloat("bias", 2)), lanes.count));
  Value* power = EmitPow(b, scale, static_cast<float>(-call.attrs.GetFloat("beta", 0.75)));
  return b.FMul(e.Eval(call.args[0], at, lanes), power);
}

size_t ChannelAxis(const relay::Call& call, size_t rank) {
  const int64_t axis = call.attrs.GetInt("axis", 1);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

Value* BatchNormItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  if (item > 0) return e.Eval(call.args[static_cast<size_t>(item) + 2], at, lanes);
  const Coordinates channel{at[ChannelAxis(call, at.size())]};
  const auto statistic = [&](size_t i) { return e.Eval(call.args[i], channel, lanes); };
  Value* epsilon = b.FloatVec(static_cast<float>(call.attrs.GetFloat("epsilon", 1e-5)), lanes.count);
  Value* deviation = EmitSqrt(b, b.FAdd(statistic(4), epsilon));
  Value* value = b.FDiv(b.FSub(e.Eval(call.args[0], at, lanes), statistic(3)), deviation);
  if (call.attrs.GetBool("scale", true)) value = b.FMul(value, statistic(1));
  return call.attrs.GetBool("center", true) ? b.FAdd(value, statistic(2)) : value;
}

Value* DropoutItem(Evaluator& e, const relay::Call& call, int item, const Coordinates& at, Lanes lanes) {
  return item == 0 ? e.Eval(call.args[0], at, lanes) : e.b().FloatVec(1.0f, lanes.count);
}

}  // namespace

EmitterTable NormalizeEmitters() {
  return {{"nn.lrn", Lrn}, {"nn.batch_norm", BatchNormItem}, {"nn.dropout", DropoutItem}};
}

}  // namespace hone
