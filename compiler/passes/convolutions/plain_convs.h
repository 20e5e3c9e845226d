// Pass: convolutions and pools take the one form that all later passes expect.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// After it, each nn.conv2d takes NCHW and OIHW, gives NCHW, and multiplies float32. Other layouts become transposes
// around it, float16 becomes casts, and bytes become exact products of floats. Integer sums that could exceed 2^24 are
// different. There uint8 data and constant int8 weights without groups stay bytes, marked integral, with int32 sums.
// Other weights are split into two digits; each digit is summed separately, and int32 joins the sums.
//
// Pools take and give NCHW, too. Throws Error(kBadData) naming the node if two digits do not make sums of bytes
// exact. The module needs its types and is as users write it: no bfloat16 and no blocked layouts yet.
relay::IRModule PlainConvs(const relay::IRModule& module);

}  // namespace hone
