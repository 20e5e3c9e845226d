#include "compiler/ops/reduce/kernel_extremum_fold.h"

#include <limits>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kExtremumAccumulators = 4;

// The fold's loop-carried values.
struct ExtremumState {
  Vals extrema;  // extrema of the terms that are not NaN
  Value* nan;    // int32, all bits set in lanes that met a NaN
};

// The greater or lesser of two values; ignores y if it is NaN.
Value* LargerOrSmaller(KernelBuilder& b, FoldKind kind, Value* x, Value* y) {
  return kind == FoldKind::kMax ? b.FMax(x, y) : b.FMin(x, y);
}

Value* WithNan(KernelBuilder& b, Value* nan, Value* x, Value* y) {
  return b.ir().CreateOr(nan, b.ir().CreateSExt(b.ir().CreateFCmpUNO(x, y), nan->getType()));
}

// One step of each extremum, from position `k` on.
ExtremumState ExtremumStep(KernelBuilder& b, const ExtremumFold& fold, Value* k, Lanes lanes, bool along,
                           const ExtremumState& before) {
  ExtremumState next{{}, before.nan};
  Value* last = nullptr;
  for (Value* extremum : before.extrema) {
    const auto i = static_cast<int64_t>(next.extrema.size());
    Value* term = fold.term({b.Add(k, along ? i * lanes.count : i), along ? 1 : 0}, lanes);
    next.extrema.push_back(LargerOrSmaller(b, fold.kind, extremum, term));
    if (i % 2 == 1) next.nan = WithNan(b, next.nan, last, term);
    last = term;
  }
  if (before.extrema.size() % 2 == 1) next.nan = WithNan(b, next.nan, last, last);
  return next;
}

ExtremumState ExtremumSteps(KernelBuilder& b, const ExtremumFold& fold, int64_t from, int64_t to, Lanes lanes,
                            bool along, const ExtremumState& start) {
  const auto count = static_cast<int64_t>(start.extrema.size());
  Vals carried = start.extrema;
  carried.push_back(start.nan);
  carried = b.Loop(from, to, count * (along ? lanes.count : 1), carried, [&](Value* k, const Vals& in) {
    ExtremumState next = ExtremumStep(b, fold, k, lanes, along, {{in.begin(), in.end() - 1}, in.back()});
    next.extrema.push_back(next.nan);
    return next.extrema;
  });
  return {{carried.begin(), carried.end() - 1}, carried.back()};
}

// Runs groups of steps, then single steps. Along the lanes a last vector follows, most of whose positions were met
// before.
ExtremumState FoldedExtrema(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes, bool along) {
  Value* identity = FoldIdentity(b, fold.kind, VectorOf(b.f32(), lanes.count));
  const int64_t step = along ? lanes.count : 1, group = step * kExtremumAccumulators, grouped = extent / group * group;
  ExtremumState state{Vals(grouped > 0 ? kExtremumAccumulators : 1, identity), IntConstant(b, identity, 0)};
  if (grouped > 0) state = ExtremumSteps(b, fold, 0, grouped, lanes, along, state);
  while (state.extrema.size() > 1) {
    Value* last = state.extrema.back();
    state.extrema.pop_back();
    state.extrema[0] = LargerOrSmaller(b, fold.kind, state.extrema[0], last);
  }
  const int64_t whole = extent / step * step;
  state = ExtremumSteps(b, fold, grouped, whole, lanes, along, state);
  return whole == extent ? state : ExtremumStep(b, fold, b.Index(extent - step), lanes, along, state);
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
    value = LargerOrSmaller(b, kind, b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(low)), upper);
  }
  return b.ir().CreateExtractElement(value, uint64_t{0});
}

}  // namespace

Value* ExtremumAcross(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes) {
  const ExtremumState state = FoldedExtrema(b, fold, extent, lanes, false);
  return OrNan(b, state.extrema[0], b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
}

Value* ExtremumAlong(KernelBuilder& b, const ExtremumFold& fold, int64_t extent) {
  const int width = FoldWidth(b, b.f32(), extent);
  if (width == 1) return ExtremumAcross(b, fold, extent, kScalar);
  const ExtremumState state = FoldedExtrema(b, fold, extent, {width, width}, true);
  Value* any = b.ir().CreateOrReduce(b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
  return OrNan(b, OverLanes(b, fold.kind, state.extrema[0]), any);
}

}  // namespace hone
