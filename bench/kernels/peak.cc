#include "bench/kernels/peak.h"

#include <algorithm>
#include <chrono>

#include "compiler/codegen/fma_kernel.h"
#include "core/package/kernel_abi.h"
#include "runtime/kernel_launch.h"

namespace hone::bench {
namespace {

constexpr int64_t kTrips = 400'000;

}  // namespace

double MeasureFmaPeak(const Target& target, int rounds) {
  const FmaKernel kernel = CompileFmaKernel(target, kTrips, 1);
  const KernelLibrary library = KernelLibrary::FromBytes(kernel.artifact.elf, "peak");
  const hone_kernel_stage peak = library.Find(kernel.artifact.stages.front().symbol);
  alignas(64) float in[64] = {}, out[64] = {};
  void* operands[] = {in, out};
  const int64_t strides[] = {0, 0};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  double best_ns = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    peak(&args, 0, 1);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, took.count());
  }
  return kernel.flops / best_ns;
}

}  // namespace hone::bench
