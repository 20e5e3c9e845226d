#include "tests/end_to_end/guarded_calls.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/random.h"
#include "runtime/kernel_launch.h"
#include "runtime/package_impl.h"
#include "runtime/session.h"
#include "tests/support/filled_buffer.h"

namespace hone {
namespace {

using testing::FilledBuffer;

class GuardedCalls {
 public:
  explicit GuardedCalls(const Package& package) : package_(package) {
    for (const PlanBuffer& buffer : plan().buffers) Fill(buffer, Add(buffer.size_bytes));
  }

  bool Run() {
    for (const PlanCall& call : plan().calls) RunKernel(pool_, LaunchOf(call));
    return std::all_of(memory_.begin(), memory_.end(), [](const FilledBuffer& each) { return each.Whole(); });
  }

 private:
  const Plan& plan() const { return package_.plan(); }

  const FilledBuffer& Add(int64_t size_bytes) { return memory_.emplace_back(size_bytes, 0); }

  void Fill(const PlanBuffer& buffer, const FilledBuffer& memory) {
    const auto size = static_cast<size_t>(buffer.size_bytes);
    char* data = memory.data();
    if (buffer.kind == BufferKind::kParam) std::memcpy(data, package_.params().data() + buffer.offset_bytes, size);
    if (buffer.kind == BufferKind::kInput) {
      for (size_t i = 0; i < size; ++i) data[i] = static_cast<char>(random_.Next());
    }
    if (buffer.kind == BufferKind::kArena || buffer.kind == BufferKind::kOutput) return;
    memory.Protect();
  }

  KernelLaunch LaunchOf(const PlanCall& call) {
    const auto index = static_cast<size_t>(call.kernel);
    const PlanKernel& kernel = plan().kernels[index];
    KernelLaunch launch;
    int64_t worker_bytes = 0;
    for (size_t i = 0; i < kernel.stages.size(); ++i) {
      launch.stages.push_back({package_.impl().functions[index][i], kernel.stages[i].extent, kernel.stages[i].grain});
      worker_bytes = std::max(worker_bytes, kernel.stages[i].worker_workspace_bytes);
    }
    for (const PlanView& view : call.operands) {
      launch.operands.push_back(memory_[static_cast<size_t>(view.buffer)].data() + view.offset_bytes);
      launch.batch_strides.push_back(view.batch_stride_bytes);
    }
    if (kernel.shared_workspace_bytes > 0) launch.shared_workspace = Add(kernel.shared_workspace_bytes).data();
    if (worker_bytes > 0) launch.worker_workspaces = Add(worker_bytes).data();
    launch.worker_stride_bytes = worker_bytes;
    return launch;
  }

  const Package& package_;
  ThreadPool pool_{1, false};
  Random random_{1};
  std::vector<FilledBuffer> memory_;  // one per plan buffer, then workspaces
};

}  // namespace

bool RunGuardedCalls(const Package& package) { return GuardedCalls(package).Run(); }

}  // namespace hone
