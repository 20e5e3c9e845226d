// Convolutions and pools in the one form that everything behind knows.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Each nn.conv2d takes NCHW and OIHW, gives NCHW, and multiplies float32. Other layouts become transposes around it,
// float16 becomes casts, and bytes become products of floats that are exact. Where a sum of whole numbers could pass
// 2^24, uint8 data and constant int8 weights without groups stay bytes, marked as integral, with sums in int32; other
// weights are split into two digits, each summed by itself and joined in int32. Throws Error(kBadData) naming
// the node for sums of bytes that two digits do not make exact. The module needs its types, and is as users write it:
// no bfloat16 and no blocked layouts yet. Pools take and give NCHW likewise.
relay::IRModule PlainConvs(const relay::IRModule& module);

}  // namespace hone
