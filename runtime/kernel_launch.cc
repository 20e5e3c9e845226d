#include "runtime/kernel_launch.h"

#include <atomic>
#include <chrono>

namespace hone {
namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct StageRun {
  const KernelLaunch& launch;
  const KernelLaunch::Stage& stage;
  int workers;
  WorkerTime* times;  // the stage's row; null where nobody asks
  std::atomic<int32_t> code{0};

  void Work(int worker) {
    const WorkRange range = ShareOf(stage.extent, stage.grain, worker, workers);
    if (range.begin >= range.end) return;
    hone_kernel_args args{};
    args.operands = launch.operands.data();
    args.batch_strides = launch.batch_strides.data();
    args.shared_workspace = launch.shared_workspace;
    if (launch.worker_workspaces != nullptr) {
      args.worker_workspace = launch.worker_workspaces + worker * launch.worker_stride_bytes;
    }
    args.worker = worker;
    args.workers = workers;
    if (times != nullptr) times[worker].begin_ns = NowNs();
    const int32_t result = stage.function(&args, range.begin, range.end);
    if (times != nullptr) times[worker].end_ns = NowNs();
    int32_t none = 0;
    if (result != 0) code.compare_exchange_strong(none, result, std::memory_order_relaxed);
  }
};

}  // namespace

int32_t RunKernel(ThreadPool& pool, const KernelLaunch& launch, WorkerTime* times) {
  for (const KernelLaunch::Stage& stage : launch.stages) {
    StageRun run{launch, stage, pool.threads(), times};
    if (times != nullptr) times += pool.threads();
    if (stage.extent <= stage.grain) {
      const DenormalsOff off;  // one piece of work: waking the others would cost more than it
      run.Work(0);
    } else {
      // One captured pointer fits into std::function without allocating.
      pool.Run([&run](int worker) { run.Work(worker); });
    }
    const int32_t code = run.code.load(std::memory_order_relaxed);
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace hone
