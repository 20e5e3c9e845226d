// The parts of Winograd kernels: a tile's copy, the values between two passes, and the transforms as vector arithmetic.
// Shared sums are written once, because no middle-end would find them.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv2d_winograd.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {

// A plane of rows of vectors of `lanes` channels.
struct WinogradPlane {
  int64_t height, width;
  DType dtype;
  int lanes;
};

// Copies a Winograd tile that reaches past its image: side x side vectors of `data` to `patch`, row by row. They begin
// at row h and column w, which may be negative. Vectors outside the plane are zeros; for bytes these stand for the
// value zero too.
void FillWinogradPatch(KernelBuilder& b, const WinogradPlane& plane, int64_t side, Value* data, Value* h, Value* w,
                       Value* patch);

// A square of vectors between the two passes of a transform: in registers if they suffice, else in scratch memory.
class WinogradSquare {
 public:
  WinogradSquare(KernelBuilder& b, llvm::Type* vector, int64_t rows, int64_t columns, Value* scratch)
      : b_(b), vector_(vector), columns_(columns), scratch_(scratch), held_(static_cast<size_t>(rows * columns)) {
    in_registers_ = rows * columns + 8 <= b.machine().vector_registers;
  }
  void Set(int64_t r, int64_t c, Value* v) {
    if (in_registers_) {
      Nth(held_, r * columns_ + c) = v;
    } else {
      b_.Store(v, Address(r, c));
    }
  }
  Value* Get(int64_t r, int64_t c) {
    return in_registers_ ? Nth(held_, r * columns_ + c)
                         : b_.ir().CreateAlignedLoad(vector_, Address(r, c), llvm::Align(1));
  }

 private:
  Value* Address(int64_t r, int64_t c) {
    const auto bytes = static_cast<int64_t>(vector_->getPrimitiveSizeInBits().getKnownMinValue() / 8);
    return b_.At(scratch_, (r * columns_ + c) * bytes);
  }
  KernelBuilder& b_;
  llvm::Type* vector_;
  int64_t columns_;
  Value* scratch_;
  bool in_registers_;
  Vals held_;
};

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

// Transforms filters of bytes when the kernel runs. A package then holds the filters' own bytes, which for F(4x4) are
// an eighth of the transformed filters that would come from memory.
//
// Emits U = G g G^T times 4 (m = 2) or 900 (m = 4) for the filters of one group of output blocks. `filters` is the
// address of their int8, [pair of in channels][row][column][tile_oc * oc_block out channels][2]. `target` is the
// address for the int16, [frequency][pair of in channels][tile_oc * oc_block][2], with frequencies
// nest.filter_frequency_bytes apart. `scratch` has room for 3 (m + 2) vectors of 2 * lanes int16.
//
//   taps, 3 x 3         alpha x 3, in scratch         alpha x alpha, here of m = 2
//     . . .     G g         . . .        (G g) G^T      . . . .
//     . . .   ------>       . . .       ---------->     . . . .      element (r, c) is frequency r * alpha + c
//     . . .                 . . .                       . . . .
//                           . . .                       . . . .
void EmitWinogradFilters(KernelBuilder& b, const WinogradNest& nest, Value* filters, Value* target, Value* scratch);

}  // namespace hone
