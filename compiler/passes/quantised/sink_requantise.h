// Pass: quantising a concatenation becomes quantising its parts, in the kernels of the products that make them.
//
// If the parts have different scales, their concatenation holds floats that a kernel of its own reads and rounds again.
// By part, the rounding goes into the products' epilogues, and bytes are concatenated:
//
//    a * sa -> round -> * sa'  --+
//                                 concatenate -> divide by u -> round -> clip
//    b * sb -> round -> * sb'  --+
//    becomes
//    a * sa -> round -> * (sa' / u) -> round -> clip --+
//                                                       concatenate
//    b * sb -> round -> * (sb' / u) -> round -> clip --+
//
// One multiplication then leads from a part's steps to those of the whole, if it gives each of the 256 values the same
// result. So the bits stay the same.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A float32 concatenation of images is read by only one chain: a multiple by a number, rounded, perhaps shifted, and
// clipped. It becomes the concatenation of that chain on each part.
relay::IRModule SinkRequantise(const relay::IRModule& module);

}  // namespace hone
