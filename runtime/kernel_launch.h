// Runs one compiled kernel on a pool: used by the session and by the runner's executor alike.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/artifact.h"
#include "core/kernel_abi.h"
#include "runtime/map_elf.h"
#include "runtime/thread_pool.h"

namespace hone {

// A shared object of kernels, checked and mapped by ourselves: the system's loader never sees it, and nothing of it
// runs before a stage is called. Throws Error(kBadData) saying which rule it breaks (see check_elf.h).
class KernelLibrary {
 public:
  // From bytes, which are copied. `name` is for messages. Throws Error(kIo) as well when there is no memory.
  static KernelLibrary FromBytes(std::string_view elf, const std::string& name);
  // Throws Error(kBadData) when there is no function of that name. Valid as long as the library.
  hone_kernel_stage Find(const std::string& symbol) const;
  // The text that the library exports as data of that name, up to its zero; empty when there is none. Valid as long as
  // the library.
  std::string_view Text(const std::string& symbol) const;

 private:
  KernelLibrary() = default;
  MappedElf mapped_;
  std::unordered_map<std::string, hone_kernel_stage> functions_;
  std::unordered_map<std::string, std::string_view> data_;
};

struct KernelLaunch {
  struct Stage {
    hone_kernel_stage function = nullptr;
    int64_t extent = 1;
    int64_t grain = 1;
  };
  std::vector<Stage> stages;
  std::vector<void*> operands;
  std::vector<int64_t> batch_strides;
  void* shared_workspace = nullptr;
  char* worker_workspaces = nullptr;  // workers * worker_stride_bytes
  int64_t worker_stride_bytes = 0;
};

// When a worker was at a stage, from its first item to its last; both 0 where it did none. Nanoseconds of the steady
// clock.
struct WorkerTime {
  int64_t begin_ns = 0, end_ns = 0;
};

// Runs every stage on the pool with a barrier after each: a stage begins when the one before has ended, on whichever
// workers are there. Returns 0 or the first non-zero code of a stage. Allocates nothing. `times`: null, or room for a
// row per stage with a time of each of the pool's workers, which is zero before.
int32_t RunKernel(ThreadPool& pool, const KernelLaunch& launch, WorkerTime* times = nullptr);

}  // namespace hone
