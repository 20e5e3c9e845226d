// Positions of extrema, by two plain folds: the first finds the extremum, the second the first (or last) position with
// that value.
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

struct Search {
  Evaluator& e;
  const relay::Call& call;
  Coordinates open;  // coordinates of the data; each fold sets the one along `axis`
  size_t axis;
  Lanes lanes;

  Value* Data(const Coordinate& k, Lanes wide) const {
    Coordinates at = open;
    at[axis] = k;
    return e.Eval(call.args[0], at, wide);
  }
  int64_t extent() const { return TensorTypeOf(call.args[0]).shape[axis]; }
  // The lanes run along the axis if the output is a scalar and the axis is dense.
  Value* Run(const Fold& fold) const {
    const bool along = lanes.count == 1 && axis + 1 == open.size();
    return along ? FoldAlong(e.b(), fold, extent()) : FoldAcross(e.b(), fold, extent(), lanes);
  }
};

// k plus the lanes' steps, as float32, which holds every position exactly.
Value* Positions(KernelBuilder& b, const Coordinate& k, Lanes lanes) {
  Value* first = b.Splat(b.ir().CreateSIToFP(k.base, b.f32()), lanes.count);
  if (k.step == 0 || lanes.count == 1) return first;
  std::vector<llvm::Constant*> steps;
  for (int l = 0; l < lanes.count; ++l)
    steps.push_back(llvm::ConstantFP::get(b.f32(), static_cast<double>(l * k.step)));
  return b.FAdd(first, llvm::ConstantVector::get(steps));
}

Value* Wide(KernelBuilder& b, Value* v, Lanes lanes) {
  return v->getType()->isVectorTy() ? v : b.Splat(v, lanes.count);
}

Value* Extremum(const Search& search, FoldKind kind) {
  KernelBuilder& b = search.e.b();
  const bool is_unsigned = IsUnsigned(search.call);
  const DType dtype = TensorTypeOf(search.call.args[0]).dtype;
  return search.Run({kind, ElementType(b, dtype),
                     [&](Value* best, const Coordinate& k, Lanes lanes) {
                       return FoldPair(b, kind, best, search.Data(k, lanes), is_unsigned);
                     },
                     is_unsigned});
}

Value* PositionOf(const Search& search, Value* winner, bool last) {
  KernelBuilder& b = search.e.b();
  const FoldKind kind = last ? FoldKind::kMax : FoldKind::kMin;
  const Fold fold{kind, b.f32(), [&](Value* best, const Coordinate& k, Lanes lanes) {
                    auto& ir = b.ir();
                    Value *x = search.Data(k, lanes), *wanted = Wide(b, winner, lanes);
                    // If the extremum is NaN, its position is that of a NaN in the data.
                    Value* here = IsFloat(x) ? ir.CreateOr(ir.CreateFCmpOEQ(x, wanted), ir.CreateFCmpUNO(x, x))
                                             : ir.CreateICmpEQ(x, wanted);
                    Value* position = Positions(b, k, lanes);
                    return FoldPair(b, kind, best, ir.CreateSelect(here, position, Wide(b, best, lanes)));
                  }};
  return search.Run(fold);
}

template <FoldKind kKind>
Value* ArgReduce(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  const size_t rank = TensorTypeOf(call.args[0]).shape.size();
  const int64_t given = call.attrs.GetInt("axis");
  const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(rank) : given);
  Coordinates open = at;
  if (at.size() < rank) open.insert(open.begin() + static_cast<int64_t>(axis), At(b, 0));
  if (lanes.count > 1 && !Varies(at)) return b.Splat(ArgReduce<kKind>(e, call, at, kScalar), lanes.count);
  const Search search{e, call, open, axis, lanes};
  Value* position = PositionOf(search, Extremum(search, kKind), call.attrs.GetBool("select_last_index"));
  return b.ir().CreateFPToSI(position, VectorOf(b.i64(), lanes.count));
}

}  // namespace

EmitterTable ArgReductionEmitters() {
  return {{"argmax", ArgReduce<FoldKind::kMax>}, {"argmin", ArgReduce<FoldKind::kMin>}};
}

}  // namespace hone
