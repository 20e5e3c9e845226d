// Work across the lanes of vectors: the sums of all lanes, and square transposes.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// The sums of all lanes of vectors, several vectors at a time. Each vector is `sums` groups of neighbouring lanes. Lane
// v * sums + g of the result is the sum of group g of vectors[v]; a single sum is returned as a scalar. The numbers of
// vectors, groups and lanes are powers of two, and all vectors together have at most as many groups as one has lanes.
// Takes floats and integers. The order of the additions depends only on the length of a group. Here for four vectors of
// four lanes, a to d, with one group each. Each line is a step of two shuffles and one addition per pair:
//
//   a0 a1 a2 a3 | b0 b1 b2 b3 | c0 c1 c2 c3 | d0 d1 d2 d3
//   a01 a23 b01 b23           | c01 c23 d01 d23
//   a0123 b0123 c0123 d0123
//
// Longer groups take two such steps within every four lanes and then add whole fours, because shuffles within four
// lanes are cheap. Several groups come out of order and take one more shuffle.
Value* LaneSums(KernelBuilder& b, const Vals& vectors, int sums = 1);

// A square transpose in registers, made of shuffles that every vector unit has: result[i] lane j is rows[j] lane i.
// There are as many rows as lanes: a power of two, at most 16 and at most four times the lanes of 16 bytes. Elements
// have any type of 1 to 8 bytes. Interleaves lanes within groups of 16 bytes, then moves whole groups. It takes
// log2(lanes) shuffles per row, each of two registers.
Vals TransposeInRegisters(KernelBuilder& b, Vals rows);

// Joins four rows of bytes: each lane of the four results, an int32, has the four bytes of one column, those of row 0
// in the lowest bits. A row has 16, 32 or 64 bytes. It takes eight shuffles within 16 bytes. So of every 16 columns,
// the first result has the first four:
//
//   rows     a0 a1 .. a15 a16 ..     result 0   a0b0c0d0 .. a3b3c3d3 | a16b16c16d16 ..
//            b0 b1 .. b15 b16 ..     result 1   a4b4c4d4 .. a7b7c7d7 | a20b20c20d20 ..
//            c0 ..    d0 ..          result 2   a8b8c8d8 ..            result 3   a12b12c12d12 ..
Vals JoinedFours(KernelBuilder& b, const Vals& rows);
// The lanes of four such vectors in the order of the columns; up to eight shuffles.
Vals InColumnOrder(KernelBuilder& b, const Vals& joined);

}  // namespace hone
