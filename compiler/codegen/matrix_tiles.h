// Intel AMX: eight registers of up to 16 rows of 64 bytes, and products of such matrices.
#pragma once

#include <array>

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"

namespace hone {

// Emits instructions on tile registers, by their numbers 0 to 7: nothing allocates or spills them. A process that runs
// such code must ask the system for the registers once: runtime/threads/thread_state.h.
class MatrixTiles {
 public:
  static constexpr int kRegisters = 8;
  static constexpr int kRows = 16;      // at most
  static constexpr int kRowBytes = 64;  // of every register

  explicit MatrixTiles(KernelBuilder& builder) : b_(builder) {}

  // Sets the number of rows of each register, 1 to 16; all registers become zero. Call it before any other instruction,
  // and Release at the end of the function: registers in use make every switch between threads slower.
  void Configure(const std::array<int, kRegisters>& rows);
  void Release();

  void Zero(int tile);
  // Rows of 64 bytes, `stride` bytes from one to the next; with a stride of 0 all rows are the same.
  void Load(int tile, Value* ptr, int64_t stride) { LoadRows(tile, ptr, b_.Index(stride)); }
  void LoadRows(int tile, Value* ptr, Value* stride);
  void Store(int tile, Value* ptr, int64_t stride);
  // sum[r][n] += the sum over k and g of x[r][k][g] * w[k][n][g]. For bytes, signed or not, a row of x holds 64
  // elements, g counts four neighbours, and sums are int32, modulo 2^32. For bfloat16 it holds 32, g counts two, and
  // sums are float32. `x` has as many rows as `sum`, `w` has 16. Here for bytes:
  //
  //   x: up to 16 rows              w: 16 rows (k)                   sum: rows as x
  //   | k0 g0-3 | .. | k15 g0-3 |   | n0: g0-3 | .. | n15: g0-3 |   | n0 | n1 | .. | n15 |  int32
  void MultiplyAdd(DType data, DType weight, int sum, int x, int w);

 private:
  llvm::Value* Number(int tile);

  KernelBuilder& b_;
};

// A full register as a tile of weights: columns, and bytes of a row and of all rows.
inline constexpr int kTileColumns = MatrixTiles::kRows;
inline constexpr int64_t kTileRowBytes = MatrixTiles::kRowBytes, kFullTileBytes = kTileColumns * kTileRowBytes;

}  // namespace hone
