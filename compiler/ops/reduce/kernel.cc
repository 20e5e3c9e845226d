// Reductions over whole axes, including global pools.
#include <algorithm>
#include <numeric>

#include "compiler/generic/fold.h"
#include "compiler/generic/one_axis.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/reduce/kernel_extremum_fold.h"
#include "core/nth.h"

namespace hone {
namespace {

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
