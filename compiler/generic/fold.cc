#include "compiler/generic/fold.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "compiler/generic/operand_access.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kFoldAccumulators = 4;

Value* JoinedPair(KernelBuilder& b, const Fold& fold, Value* x, Value* y) {
  return FoldPair(b, fold.kind, x, y, fold.is_unsigned);
}

Value* Merged(KernelBuilder& b, const Fold& fold, Vals values) {
  for (size_t width = values.size(); width > 1; width = (width + 1) / 2) {
    for (size_t i = 0; i < width / 2; ++i) {
      values[i] = JoinedPair(b, fold, values[i], values[width - 1 - i]);
    }
  }
  return values[0];
}

// Folds the upper half of the lanes onto the lower half until one lane is left.
Value* Horizontal(KernelBuilder& b, const Fold& fold, Value* value) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  for (unsigned lanes = type ? type->getNumElements() : 1; lanes > 1; lanes /= 2) {
    std::vector<int> low(lanes / 2), high(lanes / 2);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(lanes / 2));
    Value* upper = b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(high));
    value = JoinedPair(b, fold, b.ir().CreateShuffleVector(value, llvm::ArrayRef<int>(low)), upper);
  }
  return type ? b.ir().CreateExtractElement(value, uint64_t{0}) : value;
}

// Steps of `width` positions from `from` to below `to`; accumulator i takes the i-th of every `accs.size()` steps.
Vals Steps(KernelBuilder& b, const Fold& fold, Value* from, Value* to, int width, Lanes lanes, const Vals& accs) {
  const auto count = static_cast<int64_t>(accs.size());
  return b.Loop(from, to, width * count, accs, [&](Value* k, const Vals& sums) {
    Vals next;
    for (int64_t i = 0; i < count; ++i) {
      const Coordinate at{b.Add(k, i * width), width > 1 ? 1 : 0};
      next.push_back(fold.step(Nth(sums, i), at, lanes));
    }
    return next;
  });
}

// Whole groups of kFoldAccumulators steps, then single steps into the first accumulator.
// `end` is at most `extent`.
Value* Folded(KernelBuilder& b, const Fold& fold, int64_t extent, Value* end, int width, Lanes lanes) {
  const int64_t group = width * kFoldAccumulators;
  Value* grouped = b.Sub(end, b.Mod(end, group));
  Value* identity = FoldIdentity(b, fold.kind, VectorOf(fold.element, lanes.count), fold.is_unsigned);
  Vals accs(extent >= group ? kFoldAccumulators : 1, identity);
  if (extent >= group) accs = Steps(b, fold, b.Index(0), grouped, width, lanes, accs);
  accs[0] = Steps(b, fold, grouped, b.Sub(end, b.Mod(end, width)), width, lanes, {accs[0]})[0];
  return Merged(b, fold, accs);
}

// Folds the last `rest` positions, fewer than a vector; the other lanes keep their values. These positions are the last
// lanes of a whole vector. With `once` they are the first lanes of a vector that ends past the axis.
//
//    extent 11, width 8:   0 1 2 3 4 5 6 7 | 8 9 10        the steps before
//                                3 4 5 6 7   8 9 10        this one, of which only the last 3 lanes count
Value* Tail(KernelBuilder& b, const Fold& fold, int64_t extent, int width, int rest, Value* sum) {
  const int first = fold.once ? 0 : width - rest;
  Value* next = fold.step(sum, {b.Index(extent - rest - first), 1}, {width, fold.once ? rest : width});
  std::vector<int> mask(static_cast<size_t>(width));
  for (int l = 0; l < width; ++l) Nth(mask, l) = l >= first && l < first + rest ? l : width + l;
  return b.ir().CreateShuffleVector(next, sum, llvm::ArrayRef<int>(mask));
}

}  // namespace

Value* FoldIdentity(KernelBuilder&, FoldKind kind, llvm::Type* type, bool is_unsigned) {
  if (kind == FoldKind::kSum) return llvm::Constant::getNullValue(type);
  const bool is_float = type->isFPOrFPVectorTy(), largest = kind != FoldKind::kMin;
  if (kind == FoldKind::kProduct) return is_float ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantInt::get(type, 1);
  if (is_float) return llvm::ConstantFP::getInfinity(type, largest);
  const unsigned bits = type->getScalarSizeInBits();
  if (is_unsigned)
    return llvm::ConstantInt::get(type, largest ? llvm::APInt::getMinValue(bits) : llvm::APInt::getMaxValue(bits));
  return llvm::ConstantInt::get(type,
                                largest ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
}

Value* FoldPair(KernelBuilder& b, FoldKind kind, Value* x, Value* y, bool is_unsigned) {
  auto& ir = b.ir();
  const bool is_float = x->getType()->isFPOrFPVectorTy(), larger = kind == FoldKind::kMax;
  if (kind == FoldKind::kSum) return is_float ? b.FAdd(x, y) : ir.CreateAdd(x, y);
  if (kind == FoldKind::kMaxOfNumbers) return b.FMax(x, y);
  if (kind == FoldKind::kProduct) return is_float ? b.FMul(x, y) : ir.CreateMul(x, y);
  if (!is_float) {
    Value* greater = is_unsigned ? ir.CreateICmpUGT(x, y) : ir.CreateICmpSGT(x, y);
    return larger ? ir.CreateSelect(greater, x, y) : ir.CreateSelect(greater, y, x);
  }
  return ir.CreateSelect(ir.CreateFCmpUNO(y, y), y, larger ? b.FMax(x, y) : b.FMin(x, y));
}

Value* MultipliedAdd(KernelBuilder& b, Value* x, Value* w, Value* sum) {
  return sum->getType()->getScalarType()->isFloatingPointTy() ? b.Fma(x, w, sum)
                                                              : b.ir().CreateAdd(b.ir().CreateMul(x, w), sum);
}

int FoldWidth(const KernelBuilder& b, llvm::Type* element, int64_t extent) {
  constexpr int64_t kLeast = 4, kFloatBits = 32;
  const int64_t bits = std::max<int64_t>(element->getScalarSizeInBits(), 8);
  const int64_t most = std::min(extent, b.machine().vector_lanes * std::max<int64_t>(kFloatBits / bits, 1));
  const auto width = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(most, 1))));
  return static_cast<int>(width < kLeast || b.machine().vector_lanes == 1 ? 1 : width);
}

Value* FoldAcross(KernelBuilder& b, const Fold& fold, int64_t extent, Lanes lanes) {
  return Folded(b, fold, extent, b.Index(extent), 1, lanes);
}

Value* FoldAlong(KernelBuilder& b, const Fold& fold, int64_t extent) {
  const int width = FoldWidth(b, fold.element, extent);
  if (width == 1) return FoldAcross(b, fold, extent, kScalar);
  Value* sum = Folded(b, fold, extent, b.Index(extent), width, {width, width});
  const int rest = static_cast<int>(extent % width);
  if (rest > 0) sum = Tail(b, fold, extent, width, rest, sum);
  return Horizontal(b, fold, sum);
}

Value* FoldAlongUntil(KernelBuilder& b, const Fold& fold, int64_t extent, Value* end) {
  const int width = FoldWidth(b, fold.element, extent);
  return Horizontal(b, fold, Folded(b, fold, extent, end, width, {width, width}));
}

Vals LoopWhile(KernelBuilder& b, const Vals& carried, const std::function<Value*(const Vals&)>& goes_on,
               const std::function<Vals(const Vals&)>& body) {
  auto& ir = b.ir();
  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* head = llvm::BasicBlock::Create(b.context(), "while", function);
  auto* inside = llvm::BasicBlock::Create(b.context(), "body", function);
  auto* exit = llvm::BasicBlock::Create(b.context(), "done", function);
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  std::vector<llvm::PHINode*> phis;
  Vals held;
  for (Value* value : carried) {
    phis.push_back(ir.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    held.push_back(phis.back());
  }
  ir.CreateCondBr(goes_on(held), inside, exit);
  ir.SetInsertPoint(inside);
  const Vals next = body(held);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], ir.GetInsertBlock());
  ir.CreateBr(head);
  ir.SetInsertPoint(exit);
  return held;
}

}  // namespace hone
