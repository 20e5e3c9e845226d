#include "bench/kernels/peak.h"

#include <algorithm>
#include <chrono>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/object.h"
#include "core/kernel_abi.h"
#include "runtime/kernel_launch.h"

namespace hone::bench {
namespace {

constexpr int kSteps = 4;  // multiply-adds of each accumulator per iteration

// Enough chains to cover a latency of four at two a cycle, and no more registers than there are.
int Chains(const MachineModel& machine) { return machine.vector_registers >= 32 ? 24 : 12; }

std::string PeakLibrary(const Target& target, const MachineModel& machine) {
  KernelBuilder b(target, machine);
  b.Stage("peak", [&](const StageArgs& args) {
    Value* out = b.Operand(args, 0);
    Value* factor = b.Splat(b.Load(out), b.lanes());
    const Vals start(static_cast<size_t>(Chains(machine)), factor);
    const Vals done = b.Loop(args.begin, args.end, 1, start, [&](Value*, const Vals& in) {
      Vals acc = in;
      for (int step = 0; step < kSteps; ++step) {
        for (Value*& a : acc) a = b.Fma(a, factor, factor);
      }
      return acc;
    });
    for (Value* a : done) b.Store(a, out);
  });
  return LinkShared({EmitObject(b, target)}, target);
}

}  // namespace

double MeasureFmaPeak(const Target& target, int rounds) {
  const MachineModel machine = MachineModelFor(target);
  const KernelLibrary library = KernelLibrary::FromBytes(PeakLibrary(target, machine), "peak");
  const hone_kernel_stage peak = library.Find("peak");
  alignas(64) float memory[64] = {0.5F};
  void* operands[] = {memory};
  const int64_t strides[] = {0};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  const int64_t iterations = 400'000;
  double best_ns = 1e18;
  for (int round = 0; round < rounds; ++round) {
    memory[0] = 0.5F;
    const auto start = std::chrono::steady_clock::now();
    peak(&args, 0, iterations);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, took.count());
  }
  return 2.0 * static_cast<double>(iterations) * kSteps * Chains(machine) * machine.vector_lanes / best_ns;
}

}  // namespace hone::bench
