#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.h"
#include "runtime/kernel_launch.h"
#include "runtime/mapped_bytes.h"
#include "runtime/package_impl.h"

namespace hone {
namespace {

int64_t RoundUp(int64_t bytes, int64_t to) { return (bytes + to - 1) / to * to; }

MappedBytes ZerosOf(int64_t bytes) { return MappedBytes::Zeros(static_cast<size_t>(bytes)); }

int64_t WorkerBytes(const PlanKernel& kernel) {
  int64_t most = 0;
  for (const KernelStage& stage : kernel.stages) most = std::max(most, stage.worker_workspace_bytes);
  return RoundUp(most, 64);
}

}  // namespace

struct Session::Impl {
  std::shared_ptr<const Package> package;
  std::optional<ThreadPool> own_pool;
  ThreadPool* pool = nullptr;
  MappedBytes arena, shared_workspace, worker_workspaces;
  std::vector<MappedBytes> bound;      // one per plan buffer; empty but for inputs and outputs
  std::vector<KernelLaunch> launches;  // one per plan call

  const Plan& plan() const { return package->plan(); }

  void MakePool(const SessionOptions& options) {
    if (options.pool == nullptr) own_pool.emplace(options.threads == 0 ? AllowedCores() : options.threads, options.pin);
    pool = options.pool == nullptr ? &*own_pool : options.pool;
  }

  void MakeMemory() {
    int64_t shared = 0, worker = 0;
    for (const PlanKernel& kernel : plan().kernels) {
      shared = std::max(shared, kernel.shared_workspace_bytes);
      worker = std::max(worker, WorkerBytes(kernel));
    }
    arena = ZerosOf(plan().arena_bytes);
    shared_workspace = ZerosOf(shared);
    worker_workspaces = ZerosOf(worker * pool->threads());
    for (const PlanBuffer& buffer : plan().buffers) {
      const bool user = buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kOutput;
      bound.push_back(user ? ZerosOf(buffer.size_bytes) : MappedBytes());
    }
  }

  void* AddressOf(const PlanView& view) {
    const PlanBuffer& buffer = plan().buffers[view.buffer];
    switch (buffer.kind) {
      case BufferKind::kParam:
        // Kernels read parameters only; the mapping is read-only.
        return const_cast<char*>(package->params().data()) + buffer.offset_bytes + view.offset_bytes;
      case BufferKind::kArena:
        return arena.data() + buffer.offset_bytes + view.offset_bytes;
      default:
        return bound[view.buffer].data() + view.offset_bytes;
    }
  }

  KernelLaunch LaunchOf(const PlanCall& call) {
    const PlanKernel& kernel = plan().kernels[call.kernel];
    const auto& functions = package->impl().functions[call.kernel];
    KernelLaunch launch;
    for (size_t i = 0; i < kernel.stages.size(); ++i) {
      launch.stages.push_back({functions[i], kernel.stages[i].extent, kernel.stages[i].grain});
    }
    for (const PlanView& view : call.operands) {
      launch.operands.push_back(AddressOf(view));
      launch.batch_strides.push_back(view.batch_stride_bytes);
    }
    if (kernel.shared_workspace_bytes > 0) launch.shared_workspace = shared_workspace.data();
    launch.worker_stride_bytes = WorkerBytes(kernel);
    if (launch.worker_stride_bytes > 0) launch.worker_workspaces = worker_workspaces.data();
    return launch;
  }

  void RunCall(size_t i) {
    const int32_t code = RunKernel(*pool, launches[i]);
    if (code == 0) return;
    const PlanCall& call = plan().calls[i];
    throw Error(ExitCode::kBug,
                fmt::format("the kernel of {} ({}) returned code {}",
                            call.nodes.empty() ? fmt::format("call {}", i) : call.nodes.front(), call.op, code));
  }

  size_t InputIndex(std::string_view name) const {
    std::string names;
    for (size_t i = 0; i < plan().inputs.size(); ++i) {
      const std::string& known = plan().buffers[plan().inputs[i]].name;
      if (known == name) return i;
      names += (names.empty() ? "" : ", ") + known;
    }
    throw Error(ExitCode::kUsage, fmt::format("no input '{}'; the inputs are: {}", name, names));
  }
};

Session::Session(std::shared_ptr<const Package> package, const SessionOptions& options)
    : impl_(std::make_unique<Impl>()) {
  if (!package->impl().library) {
    throw Error(ExitCode::kBug, "a package that was only inspected cannot be run; load it");
  }
  impl_->package = std::move(package);
  impl_->MakePool(options);
  impl_->MakeMemory();
  for (const PlanCall& call : impl_->plan().calls) impl_->launches.push_back(impl_->LaunchOf(call));
}

Session::~Session() = default;

void Session::SetInput(std::string_view name, const Tensor& value) {
  const size_t i = impl_->InputIndex(name);
  const PlanBuffer& buffer = impl_->plan().buffers[impl_->plan().inputs[i]];
  if (value.dtype() != buffer.dtype || value.shape() != buffer.shape) {
    throw Error(ExitCode::kUsage,
                fmt::format("input '{}' is {} {}; {} {} would be right", name, DTypeName(value.dtype()),
                            ShapeText(value.shape()), DTypeName(buffer.dtype), ShapeText(buffer.shape)));
  }
  if (value.size_bytes() > 0) std::memcpy(InputData(static_cast<int>(i)), value.raw(), value.size_bytes());
}

void* Session::InputData(int i) {
  const auto& inputs = impl_->plan().inputs;
  if (i < 0 || static_cast<size_t>(i) >= inputs.size()) {
    throw Error(ExitCode::kUsage, fmt::format("no input {}; there are {}", i, inputs.size()));
  }
  return impl_->bound[inputs[i]].data();
}

void Session::Run() {
  for (size_t i = 0; i < impl_->launches.size(); ++i) impl_->RunCall(i);
}

std::vector<int64_t> Session::RunProfiled() {
  using Clock = std::chrono::steady_clock;
  std::vector<int64_t> spent_ns(impl_->launches.size());
  for (size_t i = 0; i < spent_ns.size(); ++i) {
    const Clock::time_point begin = Clock::now();
    impl_->RunCall(i);
    spent_ns[i] = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  }
  return spent_ns;
}

int Session::outputs() const { return static_cast<int>(impl_->plan().outputs.size()); }

const void* Session::OutputData(int i) const {
  const auto& list = impl_->plan().outputs;
  if (i < 0 || static_cast<size_t>(i) >= list.size()) {
    throw Error(ExitCode::kUsage, fmt::format("no output {}; there are {}", i, list.size()));
  }
  return impl_->bound[list[i]].view().data();
}

Tensor Session::Output(int i) const {
  const void* data = OutputData(i);
  const PlanBuffer& buffer = impl_->plan().buffers[impl_->plan().outputs[i]];
  Tensor copy(buffer.dtype, buffer.shape);
  if (copy.size_bytes() > 0) std::memcpy(copy.raw(), data, copy.size_bytes());
  return copy;
}

int64_t Session::memory_bytes() const {
  size_t total = impl_->arena.size() + impl_->shared_workspace.size() + impl_->worker_workspaces.size();
  for (const MappedBytes& buffer : impl_->bound) total += buffer.size();
  return static_cast<int64_t>(total);
}

int Session::threads() const { return impl_->pool->threads(); }

const Package& Session::package() const { return *impl_->package; }

}  // namespace hone
