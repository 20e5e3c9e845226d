// Loops that fold many terms into one value, in an order that depends on the extents alone.
#pragma once

#include <functional>

#include "compiler/generic/coordinate.h"

namespace hone {

enum class FoldKind : uint8_t { kSum, kMax };

struct Fold {
  FoldKind kind = FoldKind::kSum;
  llvm::Type* element = nullptr;  // of the accumulator, per lane
  // The accumulator after the terms at `k`; it has `lanes` lanes.
  std::function<Value*(Value* sum, const Coordinate& k, Lanes lanes)> step;
};

// 0 or the least value there is.
Value* FoldIdentity(KernelBuilder& b, FoldKind kind, llvm::Type* type);
// The sum, or the maximum with NaN winning.
Value* FoldPair(KernelBuilder& b, FoldKind kind, Value* x, Value* y);

// Folds k in [0, extent), the lanes of the value being other elements than those folded. Several accumulators hide the
// latency of the additions.
Value* FoldAcross(KernelBuilder& b, const Fold& fold, int64_t extent, Lanes lanes);
// Folds k in [0, extent) into a scalar with the lanes running along k.
Value* FoldAlong(KernelBuilder& b, const Fold& fold, int64_t extent);

}  // namespace hone
