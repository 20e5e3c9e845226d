// Winograd's data transforms as vector arithmetic. Shared sums are written once, because no middle-end would find them.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// B^T d for one column (or row) of m + 2 values; m is 2 or 4. Integers are modulo their width.
Vals WinogradInput(KernelBuilder& b, const Vals& d);
// A^T t for one column (or row) of m + 2 values: m values.
Vals WinogradOutput(KernelBuilder& b, const Vals& t);
// The filter transform of one column (or row) of three integers. It gives alpha = m + 2 values: 2 G g for m = 2, 30 G g
// for m = 4.
Vals WinogradFilter(KernelBuilder& b, const Vals& g, int64_t alpha);

// F(4x4) of integers has the points 0, 2, 1, -1, -1/2 and infinity; that of floats has 0, 1, -1, 2, -2 and infinity.
// The reason is in conv2d_winograd_int16.cc.
//
//         d0  d1  d2  d3  d4  d5         g0  g1  g2            t0  t1  t2  t3  t4  t5
//          2   3  -4  -3   2             15                     1   1   1   1   8
//             -1  -2   1   2              1   2   4                 2   1  -1  -4
//   B^T        2   5   1  -2     30 G     5   5   5      A^T        4   1   1   2
//              2   1  -5   2              5  -5   5                 8   1  -1  -1   1
//             -2   1   2  -1              4  -2   1
//              2   3  -4  -3   2                 15
//
// so A^T (G g * B^T d) is the convolution times 30.

}  // namespace hone
