// Runs one compiled kernel on a pool. The session and the runner's executor both use it.
#pragma once

#include <vector>

#include "core/package/kernel_abi.h"
#include "runtime/item_runs.h"
#include "runtime/load/kernel_library.h"
#include "runtime/threads/thread_pool.h"

namespace hone {

struct KernelLaunch {
  struct Stage {
    hone_kernel_stage function = nullptr;
    int64_t extent = 1;
    int64_t grain = 1;
    const ItemRuns* runs = nullptr;  // the items that are needed; null if all are

    int64_t items() const { return runs == nullptr ? extent : runs->items(); }
  };
  std::vector<Stage> stages;
  std::vector<void*> operands;
  std::vector<int64_t> batch_strides;
  void* shared_workspace = nullptr;
  char* worker_workspaces = nullptr;  // workers * worker_stride_bytes
  int64_t worker_stride_bytes = 0;
};

// The time of a worker in a stage, from its first item to its last, in nanoseconds of the steady clock. Both are 0 if
// it did none.
struct WorkerTime {
  int64_t begin_ns = 0, end_ns = 0;
};

// Runs every stage on the pool with a barrier after each. A stage begins when the previous one has ended, on the
// workers that are available. Returns 0 or the first non-zero code of a stage. Allocates nothing. `times` is null, or
// has a row per stage with an initially zero time for each of the pool's workers.
int32_t RunKernel(ThreadPool& pool, const KernelLaunch& launch, WorkerTime* times = nullptr);

}  // namespace hone
