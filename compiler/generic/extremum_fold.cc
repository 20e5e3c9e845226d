#include "compiler/generic/extremum_fold.h"

#include <limits>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/codegen/float_bits.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kAccumulators = 4;

// The fold's loop-carried values.
struct State {
  Vals extrema;  // extrema of the terms that are not NaN
  Value* nan;    // int32, all bits set in lanes that met a NaN
};

// The greater or lesser of two values; ignores y if it is NaN.
Value* Pair(KernelBuilder& b, FoldKind kind, Value* x, Value* y) {
  return kind == FoldKind::kMax ? b.FMax(x, y) : b.FMin(x, y);
}

Value* WithNan(KernelBuilder& b, Value* nan, Value* x, Value* y) {
  return b.ir().CreateOr(nan, b.ir().CreateSExt(b.ir().CreateFCmpUNO(x, y), nan->getType()));
}

// One step of each extremum, from position `k` on.
State Step(KernelBuilder& b, const ExtremumFold& fold, Value* k, Lanes lanes, bool along, const State& before) {
  State next{{}, before.nan};
  Value* last = nullptr;
  for (Value* extremum : before.extrema) {
    const auto i = static_cast<int64_t>(next.extrema.size());
    Value* term = fold.term({b.Add(k, along ? i * lanes.count : i), along ? 1 : 0}, lanes);
    next.extrema.push_back(Pair(b, fold.kind, extremum, term));
    if (i % 2 == 1) next.nan = WithNan(b, next.nan, last, term);
    last = term;
  }
  if (before.extrema.size() % 2 == 1) next.nan = WithNan(b, next.nan, last, last);
  return next;
}

State Steps(KernelBuilder& b, const ExtremumFold& fold, int64_t from, int64_t to, Lanes lanes, bool along,
            const State& start) {
  const auto count = static_cast<int64_t>(start.extrema.size());
  Vals carried = start.extrema;
  carried.push_back(start.nan);
  carried = b.Loop(from, to, count * (along ? lanes.count : 1), carried, [&](Value* k, const Vals& in) {
    State next = Step(b, fold, k, lanes, along, {{in.begin(), in.end() - 1}, in.back()});
    next.extrema.push_back(next.nan);
    return next.extrema;
  });
  return {{carried.begin(), carried.end() - 1}, carried.back()};
}

// Runs groups of steps, then single steps. Along the lanes a last vector follows, most of whose positions were met
// before.
State Folded(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes, bool along) {
  Value* identity = FoldIdentity(b, fold.kind, VectorOf(b.f32(), lanes.count));
  const int64_t step = along ? lanes.count : 1, group = step * kAccumulators, grouped = extent / group * group;
  State state{Vals(grouped > 0 ? kAccumulators : 1, identity), IntConstant(b, identity, 0)};
  if (grouped > 0) state = Steps(b, fold, 0, grouped, lanes, along, state);
  while (state.extrema.size() > 1) {
    Value* last = state.extrema.back();
    state.extrema.pop_back();
    state.extrema[0] = Pair(b, fold.kind, state.extrema[0], last);
  }
  const int64_t whole = extent / step * step;
  state = Steps(b, fold, grouped, whole, lanes, along, state);
  return whole == extent ? state : Step(b, fold, b.Index(extent - step), lanes, along, state);
}

Value* OrNan(KernelBuilder& b, Value* extremum, Value* any) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  return b.ir().CreateSelect(any, FloatConstant(b, extremum, nan), extremum);
}

// Folds the upper half of the lanes onto the lower half until one lane is left.
Value* OverLanes(KernelBuilder& b, FoldKind kind, Value* value) {
  for (int lanes = LaneCount(value); lanes > 1; lanes /= 2) {
    std::vector<int> low(static_cast<size_t>(lanes / 2)), high(low.size());
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), lanes / 2);
    Value* upper = b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(high));
    value = Pair(b, kind, b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(low)), upper);
  }
  return b.ir().CreateExtractElement(value, uint64_t{0});
}

}  // namespace

Value* ExtremumAcross(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes) {
  const State state = Folded(b, fold, extent, lanes, false);
  return OrNan(b, state.extrema[0], b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
}

Value* ExtremumAlong(KernelBuilder& b, const ExtremumFold& fold, int64_t extent) {
  const int width = FoldWidth(b, b.f32(), extent);
  if (width == 1) return ExtremumAcross(b, fold, extent, kScalar);
  const State state = Folded(b, fold, extent, {width, width}, true);
  Value* any = b.ir().CreateOrReduce(b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
  return OrNan(b, OverLanes(b, fold.kind, state.extrema[0]), any);
}

}  // namespace hone
