// Runs one compiled kernel on a pool: used by the session and by the runner's executor alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/kernel_abi.h"
#include "runtime/check_elf.h"
#include "runtime/thread_pool.h"

namespace hone {

// A dlopened shared object. Checked before it is loaded: no dependencies, constructors, TLS, text relocations or
// executable stack (see check_elf.h). Throws Error(kBadData) saying which rule it breaks.
class KernelLibrary {
 public:
  // From bytes (through a memfd). `name` is for messages.
  static KernelLibrary FromBytes(std::string_view elf, const std::string& name);
  KernelLibrary(KernelLibrary&&) noexcept;
  KernelLibrary& operator=(KernelLibrary&&) noexcept;
  ~KernelLibrary();
  // Throws Error(kBadData) when there is none of that name.
  hone_kernel_stage Find(const std::string& symbol) const;
  // The text that the library exports as data of that name, up to its zero; empty when there is none. Valid as long as
  // the library.
  std::string_view Text(const std::string& symbol) const;

 private:
  KernelLibrary() = default;
  void Close();
  void* handle_ = nullptr;
  int fd_ = -1;  // kept open while loaded: the loader knows objects by path, and the path has this number
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

// Runs every stage on the pool with a barrier after each. Returns 0 or the first non-zero code of a stage. Allocates
// nothing.
int32_t RunKernel(ThreadPool& pool, const KernelLaunch& launch);

}  // namespace hone
