// Loops that fold many terms into one value, in an order that depends on the extents alone.
#pragma once

#include <functional>

#include "compiler/generic/coordinate.h"

namespace hone {

enum class FoldKind : uint8_t { kSum, kProduct, kMax, kMaxOfNumbers, kMin };

struct Fold {
  FoldKind kind = FoldKind::kSum;
  llvm::Type* element = nullptr;  // of the accumulator, per lane
  // The accumulator after the terms at `k`; it has `lanes` lanes.
  std::function<Value*(Value* sum, const Coordinate& k, Lanes lanes)> step;
  bool is_unsigned = false;  // of the elements
  // The step writes what it reads: it must be asked for each position once, and then has lanes that stand for none.
  bool once = false;
};

// 0, 1, or the least or largest value there is. `is_unsigned` says how integers order, here and below.
Value* FoldIdentity(KernelBuilder& b, FoldKind kind, llvm::Type* type, bool is_unsigned = false);
// The sum, the product, or the extremum with NaN winning (kMaxOfNumbers: of floats none of which is NaN).
Value* FoldPair(KernelBuilder& b, FoldKind kind, Value* x, Value* y, bool is_unsigned = false);

// Lanes of a fold along an axis of so many elements: a register, fewer where the axis is shorter, and 1 where it is so
// short that adding up lanes costs more than it saves.
int FoldWidth(const KernelBuilder& b, llvm::Type* element, int64_t extent);

// Folds k in [0, extent), the lanes of the value being other elements than those folded. Several accumulators hide the
// latency of the additions.
Value* FoldAcross(KernelBuilder& b, const Fold& fold, int64_t extent, Lanes lanes);
// Folds k in [0, extent) into a scalar with the lanes running along k. But with `once` the step may be asked for a
// position twice, one result of which is thrown away.
Value* FoldAlong(KernelBuilder& b, const Fold& fold, int64_t extent);

}  // namespace hone
