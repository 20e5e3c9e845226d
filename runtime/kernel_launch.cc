#include "runtime/kernel_launch.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "runtime/threads/thread_state.h"
#include "runtime/threads/work_shares.h"

namespace hone {
namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The number of parts of a stage: one for each of `workers`, or for each piece if there are fewer pieces.
int PartsOf(const KernelLaunch::Stage& stage, int workers) {
  const int64_t items = stage.items();
  if (items <= stage.grain || workers == 1) return items > 0 ? 1 : 0;
  return static_cast<int>(std::min<int64_t>(workers, PiecesOf(items, stage.grain)));
}

struct StageRun {
  StageRun(const KernelLaunch& all, const KernelLaunch::Stage& one, int count, WorkerTime* row)
      : launch(all), stage(one), workers(count), times(row), parts(PartsOf(one, count)) {}

  const KernelLaunch& launch;
  const KernelLaunch::Stage& stage;
  const int workers;
  WorkerTime* const times;  // the stage's row; null if times are not wanted
  const int parts;
  std::atomic<int32_t> code{0};

  // The ends need no division, which takes 5 ns: a small kernel takes 50.
  int64_t First(int part) const {
    if (part == 0) return 0;
    return part < parts ? ShareOf(stage.items(), stage.grain, part, parts).begin : stage.items();
  }

  // Runs the adjacent parts [begin, end).
  void Work(int worker, int begin, int end) {
    hone_kernel_args args{};
    args.operands = launch.operands.data();
    args.batch_strides = launch.batch_strides.data();
    args.shared_workspace = launch.shared_workspace;
    if (launch.worker_workspaces != nullptr) {
      args.worker_workspace = launch.worker_workspaces + worker * launch.worker_stride_bytes;
    }
    args.worker = worker;
    args.workers = workers;
    if (times != nullptr && times[worker].begin_ns == 0) times[worker].begin_ns = NowNs();
    const auto call = [&](int64_t from, int64_t to) { return stage.function(&args, from, to); };
    const int32_t result =
        stage.runs == nullptr ? call(First(begin), First(end)) : stage.runs->ForRuns(First(begin), First(end), call);
    if (times != nullptr) times[worker].end_ns = NowNs();
    int32_t none = 0;
    if (result != 0) code.compare_exchange_strong(none, result, std::memory_order_relaxed);
  }
};

}  // namespace

int32_t RunKernel(ThreadPool& pool, const KernelLaunch& launch, WorkerTime* times) {
  for (const KernelLaunch::Stage& stage : launch.stages) {
    StageRun run(launch, stage, pool.threads(), times);
    if (times != nullptr) times += pool.threads();
    if (run.parts == 1) {
      const DenormalsOff off;  // one piece of work: waking the others would cost more than it
      run.Work(0, 0, 1);
    } else if (run.parts > 1) {
      // One captured pointer fits into std::function without allocating.
      pool.RunParts(run.parts, [&run](int worker, int begin, int end) { run.Work(worker, begin, end); });
    }
    const int32_t code = run.code.load(std::memory_order_relaxed);
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace hone
