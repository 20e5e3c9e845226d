#include "bench/kernels/kernel_timer.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/package/kernel_abi.h"
#include "runtime/kernel_launch.h"
#include "runtime/threads/thread_pool.h"

namespace hone::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kColdBytes = int64_t{96} << 20;

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

struct Prepared {
  std::vector<Tensor> tensors;
  std::vector<Tensor> weights;  // copies of the weight, the first being the one in use
  Tensor shared_workspace, worker_workspace;
  KernelLaunch launch;
  size_t weight_operand = 0;
};

Prepared Prepare(const Artifact& artifact, const KernelLibrary& library) {
  Prepared p;
  for (const KernelOperand& operand : artifact.operands) {
    const Shape physical = operand.layout.PhysicalShape(operand.shape);
    Tensor tensor(operand.dtype, physical);
    if (operand.role != OperandRole::kOutput) FillTensor(tensor, Fill::kUniform, p.tensors.size());
    if (operand.role == OperandRole::kWeight) p.weight_operand = p.tensors.size();
    p.launch.operands.push_back(tensor.raw());
    p.launch.batch_strides.push_back(tensor.size_bytes() / physical[0]);
    p.tensors.push_back(std::move(tensor));
  }
  const Tensor& weight = p.tensors[p.weight_operand];
  const int64_t copies = std::max<int64_t>(1, kColdBytes / std::max<int64_t>(weight.size_bytes(), 1 << 16));
  for (int64_t i = 0; i < copies; ++i) p.weights.push_back(weight.Clone());
  int64_t worker_bytes = 1;
  for (const KernelStage& stage : artifact.stages) worker_bytes = std::max(worker_bytes, stage.worker_workspace_bytes);
  p.shared_workspace = Tensor(DType::kInt8, {artifact.shared_workspace_bytes + 1});
  p.worker_workspace = Tensor(DType::kInt8, {worker_bytes});
  p.launch.shared_workspace = p.shared_workspace.raw();
  p.launch.worker_workspaces = p.worker_workspace.data<char>();
  for (const KernelStage& stage : artifact.stages) {
    p.launch.stages.push_back({library.Find(stage.symbol), stage.extent, stage.grain});
  }
  return p;
}

double BestRun(ThreadPool& pool, Prepared& p, double seconds, bool cold) {
  double best = 1e18;
  size_t next = 0;
  RunKernel(pool, p.launch);
  for (const auto start = Clock::now(); Seconds(start) < seconds;) {
    if (cold) p.launch.operands[p.weight_operand] = p.weights[next++ % p.weights.size()].raw();
    const auto begin = Clock::now();
    RunKernel(pool, p.launch);
    best = std::min(best, Seconds(begin) * 1e9);
  }
  return best;
}

}  // namespace

KernelTimes TimeKernel(const Artifact& artifact, double seconds) {
  const KernelLibrary library = KernelLibrary::FromBytes(artifact.elf, "kernel");
  Prepared prepared = Prepare(artifact, library);
  ThreadPool pool(1);
  KernelTimes times;
  times.hot_ns = BestRun(pool, prepared, seconds, false);
  times.cold_ns = BestRun(pool, prepared, seconds, true);
  return times;
}

}  // namespace hone::bench
