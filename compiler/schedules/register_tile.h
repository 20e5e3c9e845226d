// The register tile that every anchor schedule computes with: pixels x vectors of accumulators.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/codegen/kernel_builder.h"
#include "core/tensor.h"
#include "core/workload.h"

namespace hone {

// What one reduction step does to one accumulator: acc + x * w of whatever the lanes hold. `x` is a broadcast scalar.
using MultiplyAdd = std::function<Value*(KernelBuilder& b, Value* x, Value* w, Value* acc)>;

// Fused where the target can.
Value* FloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);

// Neighbours along the reduction that one step of whole numbers adds up,
inline constexpr int kDotGroup = 4;
// and one of bfloat16.
inline constexpr int kBFloatGroup = 2;
// Of the types: 1 where a step is one product.
int DotGroup(const ElementTypes& types);

// Lane l of acc (int32) + the sum over g of x[l][g] * w[l][g]: each lane of x and of w holds kDotGroup neighbours along
// the reduction, bytes of the data's and the weights' types, as a weight layout like OIHW16o4i keeps them. `x` is a
// scalar int32 that is broadcast, `w` a vector of lanes * kDotGroup bytes. Exact on every machine, modulo 2^32.
MultiplyAdd DotProduct(DType data, DType weight);

// The same in two steps of two neighbours each, where they are widened to 16 bits beforehand: half 0 is the first and
// the third of every four, half 1 the second and the fourth. The pairs of such bytes, two int16 a lane;
inline constexpr int64_t kWidenedBytes = 2;  // of one
Value* PairOfFours(KernelBuilder& b, Value* fours, DType dtype, int half);
// and lane l of acc (int32) + x[l][0] * w[l][0] + x[l][1] * w[l][1]: `x` is a scalar int32 that is broadcast, two
// int16, `w` what PairOfFours returns.
Value* PairMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);
// Whether the machine does that in one instruction, sum and all (VNNI's vpdpwssd).
bool AddsPairs(const MachineModel& machine);

// Lane l of acc (float32) + x[l][0] * w[l][0] + x[l][1] * w[l][1], pairs of bfloat16 that lie together in weights like
// OIHW16o2i. `x` is a scalar int32 that is broadcast, `w` a vector of 2 * lanes elements. x86's vdpbf16ps or
// AArch64's bfdot where the machine has one (which take denormals for zeros, as every worker does), else two
// multiply-adds.
Value* BFloatMultiplyAdd(KernelBuilder& b, Value* x, Value* w, Value* acc);

// What one reduction step does where elements of these types lie as kernels load them: the weights of whole numbers as
// int8.
MultiplyAdd StepOf(const ElementTypes& types);

// Registers that one operand of a step takes on the machine: two where its bytes are widened, or have a sum beside
// them.
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
  // The same on a machine. With lane operands a pixel's channels are loaded together and held until the last of
  // them is used, and code generation loads a few vectors ahead; without fused multiply-adds products need room.
  int RegistersOn(const MachineModel& machine) const;
  // Why the machine's registers do not hold it, or nullopt.
  std::optional<std::string> Reject(const MachineModel& machine) const;
  Vals Zeros(KernelBuilder& b, DType accumulator) const;
  // Each vector's accumulators begin with the int32s at `offsets`, the same for every pixel.
  Vals Offsets(KernelBuilder& b, Value* offsets) const;
  // acc[p][v] += x(p) * w(v) for one reduction step, as `multiply_add` means it. `x` returns a scalar, which is
  // broadcast, or a vector, or null for a pixel whose tap is not there. The operands of the smaller set are loaded
  // first and held; each of the larger set is loaded, used and let die, in this order: code generation keeps it, and a
  // spilled accumulator costs more than anything else here.
  void Step(KernelBuilder& b, Vals& acc, const std::function<Value*(int pixel)>& x,
            const std::function<Value*(int vector)>& w, const MultiplyAdd& multiply_add = FloatMultiplyAdd) const;
};

}  // namespace hone
