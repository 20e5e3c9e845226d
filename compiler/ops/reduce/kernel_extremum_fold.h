// The largest or smallest of many floats; NaN if one is NaN. One instruction tests two terms together for NaN, and the
// answers are kept apart from the extremum. A term then costs half as much as with FoldPair.
#pragma once

#include "compiler/generic/fold.h"

namespace hone {

struct ExtremumFold {
  FoldKind kind = FoldKind::kMax;                                // or kMin
  std::function<Value*(const Coordinate& k, Lanes lanes)> term;  // float32
};

// As FoldAcross and FoldAlong (fold.h), but a term may be evaluated twice.
Value* ExtremumAcross(KernelBuilder& b, const ExtremumFold& fold, int64_t extent, Lanes lanes);
Value* ExtremumAlong(KernelBuilder& b, const ExtremumFold& fold, int64_t extent);

}  // namespace hone
