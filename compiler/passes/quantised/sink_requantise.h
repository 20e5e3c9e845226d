// Pass: what is quantised after it was joined is quantised part by part, by the products that make the parts.
//
// A concatenation of parts with scales of their own is of floats, read and rounded again by a kernel of its own. Part
// by part the rounding is in the epilogues of the products, and bytes lie side by side. From the part's steps to the
// whole's it is one multiplication where that gives each of the 256 values the same. So the bits stay.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A float32 concatenation of images that only one chain reads, a number's multiple that is rounded, shifted (or not)
// and clipped, becomes the concatenation of that chain on each part.
relay::IRModule SinkRequantise(const relay::IRModule& module);

}  // namespace hone
