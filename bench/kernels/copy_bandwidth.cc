#include "bench/kernels/copy_bandwidth.h"

#include <algorithm>
#include <chrono>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"
#include "core/package/kernel_abi.h"
#include "core/tensor.h"
#include "runtime/kernel_launch.h"

namespace hone::bench {
namespace {

constexpr int64_t kVectors = 8;              // copied per iteration
constexpr int64_t kBytesPerRound = 8 << 20;  // small footprints are copied several times per round

std::string CopyLibrary(const Target& target, const MachineModel& machine) {
  KernelBuilder b(target, machine);
  b.Stage("copy", [&](const StageArgs& args) {
    Value *from = b.Operand(args, 0), *to = b.Operand(args, 1);
    const int64_t vector_bytes = int64_t{machine.vector_lanes} * 4;
    b.For(args.begin, args.end, 1, [&](Value* i) {
      Value* offset = b.Mul(i, kVectors * vector_bytes);
      Vals loaded;
      for (int64_t v = 0; v < kVectors; ++v)
        loaded.push_back(b.Load(b.At(b.At(from, offset), v * vector_bytes), b.lanes()));
      for (int64_t v = 0; v < kVectors; ++v)
        b.Store(loaded[static_cast<size_t>(v)], b.At(b.At(to, offset), v * vector_bytes));
    });
  });
  return LinkShared({EmitObject(b, target)}, target);
}

}  // namespace

double MeasureCopyBandwidth(const Target& target, int64_t footprint_bytes, int rounds) {
  const MachineModel machine = MachineModelFor(target);
  const KernelLibrary library = KernelLibrary::FromBytes(CopyLibrary(target, machine), "copy");
  const hone_kernel_stage copy = library.Find("copy");
  const int64_t step = kVectors * machine.vector_lanes * 4;
  const int64_t iterations = std::max<int64_t>(1, footprint_bytes / 2 / step);
  Tensor from(DType::kInt8, {iterations * step}), to(DType::kInt8, {iterations * step});
  void* operands[] = {from.raw(), to.raw()};
  const int64_t strides[] = {0, 0};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  const int64_t repeats = std::max<int64_t>(1, kBytesPerRound / (2 * iterations * step));
  double best_ns = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < repeats; ++i) copy(&args, 0, iterations);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, took.count());
  }
  return 2.0 * static_cast<double>(iterations * step * repeats) / best_ns;
}

}  // namespace hone::bench
