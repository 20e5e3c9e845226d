#include "tests/random_graphs/guarded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/random.h"
#include "runtime/kernel_launch.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/threads/thread_state.h"
#include "tests/support/filled_buffer.h"

namespace hone {
namespace {

using testing::FilledBuffer;

constexpr unsigned char kNans = 0xff;  // in every byte: a NaN of any float type

// [0, extent) cut into parts, in random order.
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
      memory_.emplace_back(buffer.size_bytes, kNans);
      if (buffer.kind == BufferKind::kParam)
        Set(memory_.back(), what.params.data() + buffer.offset_bytes, buffer.size_bytes);
    }
  }

  void Fill(const std::map<std::string, Tensor>& inputs) {
    for (const int index : plan_.inputs) {
      const Tensor& value = inputs.at(plan_.buffers[static_cast<size_t>(index)].name);
      Set(memory_[static_cast<size_t>(index)], value.raw(), value.size_bytes());
    }
  }

  void Call(const PlanCall& call) {
    const PlanKernel& kernel = plan_.kernels.at(static_cast<size_t>(call.kernel));
    std::vector<void*> operands;
    std::vector<int64_t> strides;
    for (const PlanView& view : call.operands) {
      operands.push_back(memory_.at(static_cast<size_t>(view.buffer)).data() + view.offset_bytes);
      strides.push_back(view.batch_stride_bytes);
    }
    const FilledBuffer shared(kernel.shared_workspace_bytes, kNans);
    for (const KernelStage& stage : kernel.stages)
      RunStage(stage, {operands.data(), strides.data(), shared.data(), nullptr, 0, 1}, call.op);
    if (!shared.Whole() || !AllWhole())
      throw Error(ExitCode::kBug, fmt::format("the kernel of {} wrote beside its buffers", call.op));
  }

  std::vector<Tensor> Outputs() const {
    std::vector<Tensor> outputs;
    for (const int index : plan_.outputs) {
      const PlanBuffer& buffer = plan_.buffers[static_cast<size_t>(index)];
      Tensor& copy = outputs.emplace_back(buffer.dtype, buffer.shape);
      if (copy.size_bytes() > 0) {
        std::memcpy(copy.raw(), memory_[static_cast<size_t>(index)].data(), static_cast<size_t>(copy.size_bytes()));
      }
    }
    return outputs;
  }

 private:
  // Fills memory that kernels only read.
  static void Set(const FilledBuffer& memory, const void* from, int64_t bytes) {
    if (bytes > 0) std::memcpy(memory.data(), from, static_cast<size_t>(bytes));
    memory.Protect();
  }

  void RunStage(const KernelStage& stage, hone_kernel_args args, const std::string& op) {
    const hone_kernel_stage function = library_.Find(stage.symbol);
    const FilledBuffer own(stage.worker_workspace_bytes, kNans);
    args.worker_workspace = own.data();
    for (const auto& [begin, end] : Parts(stage.extent, random_)) {
      const DenormalsOff off;
      const int32_t code = function(&args, begin, end);
      if (code != 0) throw Error(ExitCode::kBug, fmt::format("the kernel of {} returned code {}", op, code));
      if (!own.Whole()) throw Error(ExitCode::kBug, fmt::format("the kernel of {} wrote beside its workspace", op));
      std::memset(own.data(), kNans, static_cast<size_t>(stage.worker_workspace_bytes));
    }
  }

  bool AllWhole() const {
    return std::all_of(memory_.begin(), memory_.end(), [](const FilledBuffer& each) { return each.Whole(); });
  }

  const Plan& plan_;
  KernelLibrary library_;
  Random random_;
  std::vector<FilledBuffer> memory_;  // one per buffer
};

}  // namespace

std::vector<Tensor> RunGuarded(const GuardedPlan& what, const std::map<std::string, Tensor>& inputs, uint64_t seed) {
  GuardedRun run(what, seed);
  run.Fill(inputs);
  for (const PlanCall& call : what.plan.calls) run.Call(call);
  return run.Outputs();
}

}  // namespace hone
