// The sums of whole vectors, several at a time.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Each vector is `sums` groups of neighbouring lanes, as many as a power of two. Lane v * sums + g of the result is the
// sum of group g of vectors[v]; a single one is a scalar. The vectors are as many as a power of two and have at most as
// many groups together as each has lanes, a power of two, too. Floats and whole numbers; the order of the additions
// depends on nothing but the length of a group. Four vectors of four lanes a to d, one group each, a step per line, two
// shuffles and one addition for each pair:
//
//   a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 c2 c3 | d0 d1 d2 d3
//   a01 a23 b01 b23           | c01 c23 d01 d23
//   a0123 b0123 c0123 d0123
//
// Longer groups take two such steps inside every four lanes, then add whole fours: shuffles inside four lanes are the
// cheap ones. Several groups come out mixed, and take one more shuffle.
Value* LaneSums(KernelBuilder& b, const Vals& vectors, int sums = 1);

}  // namespace hone
