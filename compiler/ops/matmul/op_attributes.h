// Attributes that products share: for sums of integers, and for products that stay in floats.
#pragma once

#include "compiler/relay/op.h"

namespace hone::relay {

// The call's kernel adds plain products in any order, and no scale is folded into its weights, so each sum stays exact.
inline AttrSpec IntegralAttr() {
  return {"integral", AttrKind::kBool, false, "data and weight are whole numbers, and each partial sum below 2^24"};
}

// Set beside `integral`: products of bytes, with sums that int32 holds and float32 rounds.
inline AttrSpec LongSumsAttr() {
  return {"long_sums", AttrKind::kBool, false, "of integral: partial sums reach 2^24 and stay below 2^31"};
}

// A convolution whose data may hold values that must not spread to other windows: NaN, infinities, far larger numbers.
inline AttrSpec ExactMathAttr() {
  return {"exact_math", AttrKind::kBool, false, "has kernels that add plain products alone"};
}

// A layer that a choice of precisions left in float32.
inline AttrSpec KeepFloat32Attr() {
  return {"keep_float32", AttrKind::kBool, false, "multiplies float32 whatever precision the build has"};
}

}  // namespace hone::relay
