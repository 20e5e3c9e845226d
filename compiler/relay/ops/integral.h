// What products have in common: sums of whole numbers, and products that keep their floats.
#pragma once

#include "compiler/relay/op.h"

namespace hone::relay {

// Such a call's kernel adds plain products, in any order, and no scale goes into its weights: each sum stays exact.
inline AttrSpec IntegralAttr() {
  return {"integral", AttrKind::kBool, false, "data and weight are whole numbers, and each partial sum below 2^24"};
}

// Beside the first: products of bytes, whose sums int32 holds and float32 rounds.
inline AttrSpec LongSumsAttr() {
  return {"long_sums", AttrKind::kBool, false, "of integral: partial sums reach 2^24 and stay below 2^31"};
}

// A convolution whose data may hold what no other window is to see: NaN, infinities, far larger numbers.
inline AttrSpec ExactMathAttr() {
  return {"exact_math", AttrKind::kBool, false, "has kernels that add plain products alone"};
}

// A layer that a choice of precisions left in float32.
inline AttrSpec KeepFloat32Attr() {
  return {"keep_float32", AttrKind::kBool, false, "multiplies float32 whatever precision the build has"};
}

}  // namespace hone::relay
