// Reductions over whole axes, including global pools.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/generic/joined_axes.h"
#include "compiler/ops/kernel_families.h"
#include "core/nth.h"

namespace hone {
namespace {

// The largest or smallest of many floats; NaN if one is NaN. One instruction tests two terms together for NaN, and the
// answers are kept apart from the extremum. A term then costs half as much as with FoldPair.
struct ExtremumFold {
  FoldKind kind = FoldKind::kMax;                                // or kMin
  std::function<Value*(const Coordinate& k, Lanes lanes)> term;  // float32
};

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

// As FoldAcross, but a term may be evaluated twice.
Value* ExtremumAcross(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes) {
  const ExtremumState state = FoldedExtrema(b, fold, extent, lanes, false);
  return OrNan(b, state.extrema[0], b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
}

// As FoldAlong, but a term may be evaluated twice.
Value* ExtremumAlong(KernelBuilder& b, const ExtremumFold& fold, int64_t extent) {
  const int width = FoldWidth(b, b.f32(), extent);
  if (width == 1) return ExtremumAcross(b, fold, extent, kScalar);
  const ExtremumState state = FoldedExtrema(b, fold, extent, {width, width}, true);
  Value* any = b.ir().CreateOrReduce(b.ir().CreateICmpNE(state.nan, IntConstant(b, state.extrema[0], 0)));
  return OrNan(b, OverLanes(b, fold.kind, state.extrema[0]), any);
}

// The axes that a reduction names, ascending; all axes if it names none.
std::vector<int64_t> ReducedAxes(const relay::Call& call, size_t rank) {
  std::vector<int64_t> axes = call.attrs.GetInts("axis");
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& axis : axes) axis = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  std::sort(axes.begin(), axes.end());
  return axes;
}

// Coordinates of the argument, with the reduced axes still to be filled in.
Coordinates Opened(Evaluator& e, const Coordinates& at, const std::vector<int64_t>& axes, size_t rank) {
  const bool kept = at.size() == rank;
  Coordinates result;
  size_t next = 0;
  for (size_t d = 0; d < rank; ++d) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d));
    if (!reduced || kept) ++next;
    result.push_back(reduced ? At(e.b(), 0) : at[next - 1]);
  }
  return result;
}

struct Reduction {
  Evaluator& e;
  const relay::ExprPtr& data;
  FoldKind kind;
  std::vector<int64_t> axes;
  Lanes lanes;

  using Term = std::function<Value*(const Coordinate& k, Lanes lanes)>;
  Value* Along(const Term& term, int64_t extent) const {
    return IsExtremum() ? ExtremumAlong(e.b(), {kind, term}, extent) : FoldAlong(e.b(), FoldOf(term), extent);
  }
  Value* Across(const Term& term, int64_t extent) const {
    return IsExtremum() ? ExtremumAcross(e.b(), {kind, term}, extent, lanes)
                        : FoldAcross(e.b(), FoldOf(term), extent, lanes);
  }

 private:
  DType dtype() const { return TensorTypeOf(data).dtype; }
  bool IsUnsigned() const { return dtype() == DType::kUInt8 || dtype() == DType::kBool; }
  bool IsExtremum() const { return dtype() == DType::kFloat32 && (kind == FoldKind::kMax || kind == FoldKind::kMin); }
  Fold FoldOf(const Term& term) const {
    const auto step = [this, term](Value* sum, const Coordinate& k, Lanes l) {
      return FoldPair(e.b(), kind, sum, term(k, l), IsUnsigned());
    };
    return {kind, ElementType(e.b(), dtype()), step, IsUnsigned()};
  }
};

// The last of the reduced axes from axes[depth] on that can be folded as one.
size_t LastOfRun(const Reduction& r, size_t depth) {
  const relay::Type& type = TensorTypeOf(r.data);
  size_t last = depth;
  while (
      type.layout.empty() && last + 1 < r.axes.size() && r.axes[last + 1] == r.axes[last] + 1 &&
      IsOneAxis(r.e, r.data, type.shape, static_cast<size_t>(r.axes[depth]), static_cast<size_t>(r.axes[last + 1]))) {
    ++last;
  }
  return last;
}

// Folds run by run of joined axes, the last run innermost, each with its own sums, so that partial sums stay short.
//
//    over H and W, not joined:     for h: row = 0; for w: row += x[h][w]; sum += row
Value* Reduce(const Reduction& r, Coordinates at, size_t depth) {
  const relay::Type& type = TensorTypeOf(r.data);
  const size_t end = LastOfRun(r, depth);
  const auto axis = static_cast<size_t>(r.axes[end]);
  const bool last = end + 1 == r.axes.size();
  const auto term = [&](const Coordinate& k, Lanes lanes) {
    Coordinates here = at;
    here[axis] = k;
    return last ? r.e.Eval(r.data, here, lanes) : Reduce(r, here, end + 1);
  };
  int64_t extent = 1;
  for (size_t i = depth; i <= end; ++i) extent *= Nth(type.shape, r.axes[i]);
  const bool along = last && r.lanes.count == 1 && type.layout.empty() && axis + 1 == type.shape.size();
  return along ? r.Along(term, extent) : r.Across(term, extent);
}

Value* Divided(KernelBuilder& b, Value* sum, int64_t count) {
  if (!sum->getType()->isFPOrFPVectorTy()) {
    return b.ir().CreateSDiv(sum, llvm::ConstantInt::get(sum->getType(), static_cast<uint64_t>(count)));
  }
  return b.FDiv(sum, llvm::ConstantFP::get(sum->getType(), static_cast<double>(count)));
}

Value* OverAxes(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes, FoldKind kind, bool mean,
                const std::vector<int64_t>& axes) {
  const Shape& shape = TensorTypeOf(call.args[0]).shape;
  const Coordinates open = Opened(e, at, axes, shape.size());
  if (axes.empty()) return e.Eval(call.args[0], open, lanes);
  const Reduction reduction{e, call.args[0], kind, axes, lanes};
  if (lanes.count > 1 && !Varies(open))
    return e.b().Splat(OverAxes(e, call, LanesOf(e.b(), at, 0), kScalar, kind, mean, axes), lanes.count);
  Value* value = Reduce(reduction, open, 0);
  int64_t count = 1;
  for (int64_t axis : axes) count *= Nth(shape, axis);
  return mean ? Divided(e.b(), value, count) : value;
}

template <FoldKind kKind, bool kMean>
Value* Reduce(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return OverAxes(e, call, at, lanes, kKind, kMean, ReducedAxes(call, TensorTypeOf(call.args[0]).shape.size()));
}

template <FoldKind kKind, bool kMean>
Value* GlobalPool(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return OverAxes(e, call, at, lanes, kKind, kMean, {2, 3});
}

}  // namespace

EmitterTable ReductionEmitters() {
  return {{"mean", Reduce<FoldKind::kSum, true>},
          {"sum", Reduce<FoldKind::kSum, false>},
          {"prod", Reduce<FoldKind::kProduct, false>},
          {"max", Reduce<FoldKind::kMax, false>},
          {"min", Reduce<FoldKind::kMin, false>},
          {"nn.global_avg_pool2d", GlobalPool<FoldKind::kSum, true>},
          {"nn.global_max_pool2d", GlobalPool<FoldKind::kMax, false>}};
}

}  // namespace hone
