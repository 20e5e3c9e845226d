// The largest or smallest of many floats, NaN when one is. Two terms are asked together whether either is NaN, and the
// answers are kept apart from the extremum, so that a term costs half as much as by FoldPair.
#pragma once

#include "compiler/generic/fold.h"

namespace hone {

struct ExtremumFold {
  FoldKind kind = FoldKind::kMax;                                // or kMin
  std::function<Value*(const Coordinate& k, Lanes lanes)> term;  // float32
};

// As FoldAcross and FoldAlong (fold.h); a term may be asked for twice.
Value* ExtremumAcross(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes);
Value* ExtremumAlong(KernelBuilder& b, const ExtremumFold& fold, int64_t extent);

}  // namespace hone
