// The calls of a plan, ready to run on the memory of one session.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/package/plan.h"
#include "runtime/item_runs.h"
#include "runtime/kernel_launch.h"
#include "runtime/package.h"
#include "runtime/threads/thread_pool.h"

namespace hone {

// The memory of a session as its calls use it. It never moves, except for inputs and outputs that are bound.
struct CallMemory {
  std::function<void*(const PlanView&)> address;  // at present
  ExtentAt extent;
  char* shared_workspace = nullptr;
  char* worker_workspaces = nullptr;  // a worker's bytes of each kernel: WorkspaceBytesOf
};

// The bytes that a worker needs for a stage of the kernel, in whole cache lines.
int64_t WorkspaceBytesOf(const PlanKernel& kernel);
// Whether the caller may bind the buffer: an input or an output.
bool IsBindable(const PlanBuffer& buffer);

// Package, pool and memory must outlive the object.
class SessionCalls {
 public:
  // A call with its own kernel or a variant's.
  struct Launch {
    int kernel = 0;       // of the plan
    ExtentLimits limits;  // empty: runs always
    KernelLaunch launch;
    std::vector<std::unique_ptr<ItemRuns>> runs;  // one per stage; null for a stage without boxes
  };

  SessionCalls(const Package& package, ThreadPool& pool, const CallMemory& memory);

  // The number of the plan's calls.
  size_t size() const { return launches_.size(); }
  // The launch for the present extents.
  Launch& At(size_t call);
  // Runs one of the call's launches. `times` is as for RunKernel. Throws Error(kBug) naming the node when the kernel
  // returns a code. Allocates nothing otherwise.
  void Run(size_t call, Launch& launch, WorkerTime* times = nullptr);
  void Run(size_t call) { Run(call, At(call)); }
  // Later runs find the bindable buffer at `data`. Allocates nothing.
  void Bind(int buffer, char* data);

 private:
  // An operand of a launch that points into an input or output.
  struct Use {
    void** operand = nullptr;
    int64_t offset_bytes = 0;
  };

  KernelLaunch KernelLaunchOf(const std::vector<PlanView>& operands, int number, const CallMemory& memory) const;
  Launch LaunchOf(const std::vector<PlanView>& operands, int kernel, const std::vector<ItemBox>& boxes,
                  const CallMemory& memory) const;
  void AddUses(const std::vector<PlanView>& views, KernelLaunch& launch);
  const Plan& plan() const { return package_.plan(); }

  const Package& package_;
  ThreadPool& pool_;
  std::vector<std::vector<Launch>> launches_;  // of each plan call: its variants, then its own kernel
  std::vector<std::vector<Use>> uses_;         // one per plan buffer; empty except for inputs and outputs
};

}  // namespace hone
