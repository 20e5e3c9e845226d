#include "compiler/codegen/fma_kernel.h"

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"
#include "core/hash/hash.h"

namespace hone {
namespace {

constexpr int64_t kElements = 64;
constexpr int kSteps = 4;  // multiply-adds of each accumulator per iteration
constexpr int64_t kFloatBytes = 4, kDoubleBytes = 8;
const char* const kSymbol = "fma";

// Enough chains to cover a latency of four at two per cycle, and no more registers than the machine has.
int Chains(const MachineModel& machine) { return machine.vector_registers >= 32 ? 24 : 12; }

Artifact Linked(KernelBuilder& builder, const Target& target, int64_t extent, std::vector<KernelOperand> operands) {
  const std::string object = EmitObject(builder, target);
  Artifact artifact;
  artifact.elf = LinkShared({object}, target);
  artifact.object_sha256 = Sha256Hex(object);
  artifact.stages = {{kSymbol, extent, 1, 0}};
  artifact.operands = std::move(operands);
  return artifact;
}

KernelOperand Vector(OperandRole role, DType dtype) { return {role, dtype, {1, kElements}, Layout::Parse("AB")}; }

Vals Multiplied(KernelBuilder& b, int64_t trips) {
  Value* half = b.FloatVec(0.5F, b.lanes());
  const Vals start(static_cast<size_t>(Chains(b.machine())), half);
  return b.Loop(b.Index(0), b.Index(trips), 1, start, [&](Value*, const Vals& in) {
    Vals acc = in;
    for (int step = 0; step < kSteps; ++step) {
      for (Value*& a : acc) a = b.Fma(a, half, half);
    }
    return acc;
  });
}

Artifact Kernel(const Target& target, int64_t trips, int threads) {
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage(kSymbol, [&](const StageArgs& args) {
    Value* in = b.Operand(args, 0);
    Value* out = b.Operand(args, 1);
    b.For(args.begin, args.end, 1, [&](Value* item) {
      // The sum is stored so that the arithmetic is not dead code; the copy then overwrites it. Only the first item
      // writes, because there is one output.
      const Vals done = Multiplied(b, trips);
      Value* sum = done.front();
      for (size_t i = 1; i < done.size(); ++i) sum = b.FAdd(sum, done[i]);
      b.If(b.ir().CreateICmpEQ(item, b.Index(0)), [&] {
        b.Store(sum, out);
        for (int64_t i = 0; i < kElements; ++i) {
          b.Store(b.Load(b.At(in, kFloatBytes * i)), b.At(out, kFloatBytes * i));
        }
      });
    });
  });
  return Linked(b, target, threads,
                {Vector(OperandRole::kData, DType::kFloat32), Vector(OperandRole::kOutput, DType::kFloat32)});
}

// Outputs the input's values and their magnitudes.
Artifact Reference(const Target& target) {
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage(kSymbol, [&](const StageArgs& args) {
    for (int64_t i = 0; i < kElements; ++i) {
      Value* x = b.Load(b.At(b.Operand(args, 0), kFloatBytes * i));
      Value* magnitude = b.FMax(x, b.FSub(b.Float(0), x));
      b.Store(b.ir().CreateFPExt(x, b.f64()), b.At(b.Operand(args, 1), kDoubleBytes * i));
      b.Store(b.ir().CreateFPExt(magnitude, b.f64()), b.At(b.Operand(args, 2), kDoubleBytes * i));
    }
  });
  return Linked(b, target, 1,
                {Vector(OperandRole::kData, DType::kFloat32), Vector(OperandRole::kOutput, DType::kFloat64),
                 Vector(OperandRole::kOutput, DType::kFloat64)});
}

}  // namespace

FmaKernel CompileFmaKernel(const Target& target, int64_t trips, int threads) {
  const MachineModel machine = MachineModelFor(target);
  const double per_item = 2.0 * static_cast<double>(trips) * kSteps * Chains(machine) * machine.vector_lanes;
  return {Kernel(target, trips, threads), Reference(target), per_item * threads};
}

}  // namespace hone
