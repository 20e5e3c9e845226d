#include "tests/random_graphs/guarded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/random.h"
#include "rpc_runner/executor/guarded_buffer.h"
#include "runtime/kernel_launch.h"
#include "runtime/thread_pool.h"

namespace hone {
namespace {

constexpr int kNans = 0xff;  // in every byte: a NaN of any float type

void* Guarded(int64_t bytes) {
  void* data = GuardedBuffer::Private(bytes).data();
  std::memset(data, kNans, static_cast<size_t>(bytes));
  return data;
}

// [0, extent) in parts, in random order.
std::vector<std::pair<int64_t, int64_t>> Parts(int64_t extent, Random& random) {
  std::vector<int64_t> cuts{0, extent};
  for (int i = 0; i < 2; ++i) cuts.push_back(static_cast<int64_t>(random.Below(static_cast<uint64_t>(extent) + 1)));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::pair<int64_t, int64_t>> parts;
  for (size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i - 1] < cuts[i]) parts.emplace_back(cuts[i - 1], cuts[i]);
  }
  for (size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.Below(i)]);
  return parts;
}

class GuardedRun {
 public:
  GuardedRun(const GuardedPlan& what, uint64_t seed)
      : plan_(what.plan), library_(KernelLibrary::FromBytes(what.lib, "guarded")), random_(seed) {
    for (const PlanBuffer& buffer : plan_.buffers) {
      memory_.push_back(static_cast<char*>(Guarded(buffer.size_bytes)));
      if (buffer.kind != BufferKind::kParam || buffer.size_bytes == 0) continue;
      std::memcpy(memory_.back(), what.params.data() + buffer.offset_bytes, static_cast<size_t>(buffer.size_bytes));
    }
  }

  void Fill(const std::map<std::string, Tensor>& inputs) {
    for (const int index : plan_.inputs) {
      const Tensor& value = inputs.at(plan_.buffers[static_cast<size_t>(index)].name);
      if (value.size_bytes() > 0) {
        std::memcpy(memory_[static_cast<size_t>(index)], value.raw(), static_cast<size_t>(value.size_bytes()));
      }
    }
  }

  void Call(const PlanCall& call) {
    const PlanKernel& kernel = plan_.kernels.at(static_cast<size_t>(call.kernel));
    std::vector<void*> operands;
    std::vector<int64_t> strides;
    for (const PlanView& view : call.operands) {
      operands.push_back(memory_.at(static_cast<size_t>(view.buffer)) + view.offset_bytes);
      strides.push_back(view.batch_stride_bytes);
    }
    void* shared = kernel.shared_workspace_bytes > 0 ? Guarded(kernel.shared_workspace_bytes) : nullptr;
    for (const KernelStage& stage : kernel.stages) {
      const hone_kernel_stage function = library_.Find(stage.symbol);
      void* own = stage.worker_workspace_bytes > 0 ? Guarded(stage.worker_workspace_bytes) : nullptr;
      for (const auto& [begin, end] : Parts(stage.extent, random_)) {
        const hone_kernel_args args{operands.data(), strides.data(), shared, own, 0, 1};
        const DenormalsOff off;
        const int32_t code = function(&args, begin, end);
        if (code != 0) throw Error(ExitCode::kBug, fmt::format("the kernel of {} returned code {}", call.op, code));
        if (own != nullptr) std::memset(own, kNans, static_cast<size_t>(stage.worker_workspace_bytes));
      }
    }
  }

  std::vector<Tensor> Outputs() const {
    std::vector<Tensor> outputs;
    for (const int index : plan_.outputs) {
      const PlanBuffer& buffer = plan_.buffers[static_cast<size_t>(index)];
      Tensor& copy = outputs.emplace_back(buffer.dtype, buffer.shape);
      if (copy.size_bytes() > 0) {
        std::memcpy(copy.raw(), memory_[static_cast<size_t>(index)], static_cast<size_t>(copy.size_bytes()));
      }
    }
    return outputs;
  }

 private:
  const Plan& plan_;
  KernelLibrary library_;
  Random random_;
  std::vector<char*> memory_;  // one per buffer
};

}  // namespace

std::vector<Tensor> RunGuarded(const GuardedPlan& what, const std::map<std::string, Tensor>& inputs, uint64_t seed) {
  GuardedRun run(what, seed);
  run.Fill(inputs);
  for (const PlanCall& call : what.plan.calls) run.Call(call);
  return run.Outputs();
}

}  // namespace hone
