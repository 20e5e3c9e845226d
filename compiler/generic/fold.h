// Loops that carry values: folds of many terms into one, in an order that depends only on the extents, and a loop whose
// end depends on data.
#pragma once

#include <functional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/operand_access.h"

namespace hone {

enum class FoldKind : uint8_t { kSum, kProduct, kMax, kMaxOfNumbers, kMin };

struct Fold {
  FoldKind kind = FoldKind::kSum;
  llvm::Type* element = nullptr;  // type of the accumulator, per lane
  // Returns the accumulator after the terms at `k`; it has `lanes` lanes.
  std::function<Value*(Value* sum, const Coordinate& k, Lanes lanes)> step;
  bool is_unsigned = false;  // whether elements are unsigned
  // Whether the step writes what it reads. Such a step is evaluated once per position, and some of its lanes may stand
  // for no position.
  bool once = false;
};

// 0, 1, or the least or largest value of the type. Here and below `is_unsigned` gives the order of integers.
Value* FoldIdentity(KernelBuilder& b, FoldKind kind, llvm::Type* type, bool is_unsigned = false);
// The sum, the product, or the extremum; NaN wins. kMaxOfNumbers is for floats none of which is NaN.
Value* FoldPair(KernelBuilder& b, FoldKind kind, Value* x, Value* y, bool is_unsigned = false);
// sum + x w, for a fold of products; fused for floats.
Value* MultipliedAdd(KernelBuilder& b, Value* x, Value* w, Value* sum);

// Number of lanes for a fold along an axis of `extent` elements: a register, or fewer if the axis is shorter. It is 1
// if the axis is so short that adding up lanes costs more than it saves.
int FoldWidth(const KernelBuilder& b, llvm::Type* element, int64_t extent);

// Folds k in [0, extent), with lanes for other elements than the folded ones. Several accumulators hide the latency of
// the additions:
//
//    extent 11, 4 accumulators:   a0: k = 0, 4, 8, 9, 10    a1: 1, 5    a2: 2, 6    a3: 3, 7
//    result:                      (a0 + a3) + (a1 + a2)
Value* FoldAcross(KernelBuilder& b, const Fold& fold, int64_t extent, Lanes lanes);
// Folds k in [0, extent) into a scalar, with lanes along k. Unless `once` is set, the step may be evaluated twice for a
// position, and one of its results is discarded.
Value* FoldAlong(KernelBuilder& b, const Fold& fold, int64_t extent);
// As above for k in [0, end). `end` is known in a run and at most `extent`; both are multiples of FoldWidth(extent).
Value* FoldAlongUntil(KernelBuilder& b, const Fold& fold, int64_t extent, Value* end);

// while (goes_on(carried)) carried = body(carried); returns the last carried values. `goes_on` gives an i1 and must
// have no effects.
Vals LoopWhile(KernelBuilder& b, const Vals& carried, const std::function<Value*(const Vals&)>& goes_on,
               const std::function<Vals(const Vals&)>& body);

}  // namespace hone
