// The register tile that every anchor schedule computes with: pixels x vectors of accumulators.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"
#include "core/workload.h"

namespace hone {

// The effect of one reduction step on one accumulator: acc + x * w, for the lanes' type. `x` is a broadcast scalar.
using MultiplyAdd = std::function<Value*(KernelBuilder& b, Value* x, Value* w, Value* acc)>;

// Fused if the target can.
Value* FloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);

// Neighbours along the reduction that one step of a product of bytes adds up.
inline constexpr int kDotGroup = 4;
// Neighbours along the reduction that one step of a product of bfloat16 adds up.
inline constexpr int kBFloatGroup = 2;
// Neighbours along the reduction in one step of these types; 1 if a step is one product.
int DotGroup(const ElementTypes& types);

// Adds to lane l of acc (int32) the sum over g of x[l][g] * w[l][g]. Each lane of x and w holds kDotGroup neighbours
// along the reduction. They are bytes of the data's and weights' types, in a weight layout like OIHW16o4i. `x` is a
// broadcast scalar int32, `w` a vector of lanes * kDotGroup bytes. Exact on every machine, modulo 2^32.
//
//   x   | x0 x1 x2 x3 | x0 x1 x2 x3 | ..     one int32, broadcast
//   w   | w0 w1 w2 w3 | w0 w1 w2 w3 | ..     each lane: another output channel's weights
//   acc | += x0 w0 + x1 w1 + x2 w2 + x3 w3 | ..
//
// One instruction if the machine has it for bytes of these signs.
MultiplyAdd DotProduct(DType data, DType weight);

// DotProduct in two steps of two neighbours each, for bytes widened to 16 bits beforehand. Half 0 is the first and the
// third of every four, half 1 the second and the fourth. PairOfFours returns one half: two int16 per lane.
inline constexpr int64_t kWidenedBytes = 2;  // of one widened byte
Value* PairOfFours(KernelBuilder& b, Value* fours, DType dtype, int half);
// Adds x[l][0] * w[l][0] + x[l][1] * w[l][1] to lane l of acc (int32). `x` is a broadcast scalar int32 that holds two
// int16; `w` is a result of PairOfFours.
Value* PairMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);

// Adds x[l][0] * w[l][0] + x[l][1] * w[l][1] to lane l of acc (float32). The pairs of bfloat16 are neighbours in
// weights like OIHW16o2i. `x` is a broadcast scalar int32, `w` a vector of 2 * lanes elements. Uses x86's vdpbf16ps or
// AArch64's bfdot if the machine has one, else two multiply-adds. Those instructions take denormals for zeros, as every
// worker does.
Value* BFloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);

// The MultiplyAdd for elements of these types.
MultiplyAdd StepOf(const ElementTypes& types);

// The type to which a kernel changes computed weights when it loads or packs them. Bytes get the sign that the
// machine's instruction wants beside the data's: the highest bit is flipped, so a uint8 loses 128 and an int8 gains it.
DType StepWeight(const ElementTypes& types, const MachineModel& machine);

// Registers per operand of a step on the machine: two if its bytes are widened or have a sum beside them.
int PartsOf(const ElementTypes& types, const MachineModel& machine);

// `pixels` broadcast operands times `vectors` vector operands of `lanes` lanes. Accumulators travel as one Vals, the
// vectors of pixel p at [p * vectors, (p + 1) * vectors).
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  int lanes = 8;
  int parts = 1;               // as PartsOf says
  bool product_apart = false;  // a product takes a register before it is added

  // Registers that the accumulators and one step's operands need: the smaller operand set is held, the larger is
  // streamed.
  int registers() const { return pixels * vectors + parts * (std::min(pixels, vectors) + 1); }
  // registers() for a machine. With lane operands, a pixel's channels are loaded together and held until the last one
  // is used, and code generation loads a few vectors ahead. Without fused multiply-adds, products need registers.
  int RegistersOn(const MachineModel& machine) const;
  // Why the machine's registers do not hold the tile, or nullopt.
  std::optional<std::string> Reject(const MachineModel& machine) const;
  Vals Zeros(KernelBuilder& b, DType accumulator) const;
  // Each vector's accumulators begin with the int32s at `offsets`, the same for every pixel.
  Vals Offsets(KernelBuilder& b, Value* offsets) const;
  // acc[p][v] += x(p) * w(v) for one reduction step, with `multiply_add`. `x` returns a scalar, which is broadcast, or
  // a vector, or null for a pixel that lacks the tap. The operands of the smaller set are loaded first and held. Each
  // of the larger set is loaded, used and let die, in this order. Code generation keeps that order, and a spilled
  // accumulator costs more than anything else here.
  void Step(KernelBuilder& b, Vals& acc, const std::function<Value*(int pixel)>& x,
            const std::function<Value*(int vector)>& w, const MultiplyAdd& multiply_add = FloatMultiplyAdd) const;
};

}  // namespace hone
