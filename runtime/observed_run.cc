#include "runtime/observed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/package/package_format.h"
#include "core/text/printable.h"
#include "runtime/kernel_launch.h"
#include "runtime/load/match_kernels.h"
#include "runtime/package_impl.h"
#include "runtime/ranged_inputs.h"
#include "runtime/session.h"

namespace hone {
namespace {

// Lays memory out as a session does: one arena in which buffers follow each other. So values that a call overwrites
// too early show here as well.
class ObservedRun {
 public:
  ObservedRun(const Package& package, const std::vector<Tensor>& inputs, int threads)
      : package_(package), pool_(threads == 0 ? AllowedCores() : threads, false) {
    CheckInputs(inputs);
    arena_ = Bytes(plan().arena_bytes);
    for (const PlanBuffer& buffer : plan().buffers) {
      const bool user = buffer.kind != BufferKind::kParam && buffer.kind != BufferKind::kArena;
      user_.push_back(user ? Bytes(buffer.size_bytes) : Tensor());
    }
    CopyInputs(inputs);
    FindLastWrites();
  }

  void Run(const Observer& observe) {
    for (size_t i = 0; i < plan().calls.size(); ++i) {
      RunCall(plan().calls[i]);
      for (const int buffer : whole_after_[i]) {
        const PlanBuffer& what = plan().buffers[static_cast<size_t>(buffer)];
        if (!observe({static_cast<int>(i), what.name, ValueOf(what, buffer)})) return;
      }
    }
  }

 private:
  const Plan& plan() const { return package_.plan(); }

  static Tensor Bytes(int64_t size) { return {DType::kUInt8, {size}}; }

  void CheckInputs(const std::vector<Tensor>& inputs) const {
    if (inputs.size() != plan().inputs.size()) {
      throw Error(ExitCode::kUsage,
                  fmt::format("{} came; {} would be right", Counted(inputs.size(), "input"), plan().inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const PlanBuffer& buffer = plan().buffers[static_cast<size_t>(plan().inputs[i])];
      if (inputs[i].dtype() != buffer.dtype || !HasFixedExtents(plan(), i, inputs[i].shape())) {
        throw Error(ExitCode::kUsage,
                    fmt::format("input '{}' is {} {}; {} {} would be right", buffer.name, DTypeName(inputs[i].dtype()),
                                ShapeText(inputs[i].shape()), DTypeName(buffer.dtype), InputShapeText(plan(), i)));
      }
      RequireInRange(plan(), i, inputs[i].shape());
    }
  }

  void CopyInputs(const std::vector<Tensor>& inputs) {
    std::vector<Shape> shapes;
    std::vector<char*> memory;
    for (const Tensor& input : inputs) shapes.push_back(input.shape());
    for (Tensor& user : user_) memory.push_back(user.data<char>());
    RequireAgreement(plan(), shapes);
    WriteExtents(plan(), shapes, memory);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto index = static_cast<size_t>(plan().inputs[i]);
      const PlanBuffer& buffer = plan().buffers[index];
      SpreadTensor(static_cast<const char*>(inputs[i].raw()), shapes[i], memory[index], buffer.shape,
                   DTypeBytes(buffer.dtype));
    }
  }

  // The kernels' descriptions of their operands tell reads from writes.
  void FindLastWrites() {
    const std::vector<Artifact> kernels =
        ReadKernelTable(package_.impl().library->Text(kKernelTableSymbol), package_.impl().name);
    std::map<std::string_view, const std::vector<KernelOperand>*> by_symbol;
    for (const Artifact& kernel : kernels) {
      if (!kernel.stages.empty()) by_symbol[kernel.stages[0].symbol] = &kernel.operands;
    }
    std::map<int, size_t> last;
    for (size_t i = 0; i < plan().calls.size(); ++i) {
      const PlanCall& call = plan().calls[i];
      // A variant's operands have the same roles.
      const PlanKernel& kernel = plan().kernels[static_cast<size_t>(call.kernel)];
      const std::vector<KernelOperand>& operands = *by_symbol.at(kernel.stages[0].symbol);
      for (size_t j = 0; j < operands.size(); ++j) {
        if (operands[j].role == OperandRole::kOutput) last[call.operands.at(j).buffer] = i;
      }
    }
    whole_after_.resize(plan().calls.size());
    for (const auto& [buffer, call] : last) whole_after_[call].push_back(buffer);
  }

  char* AddressOf(int index) const {
    const PlanBuffer& buffer = plan().buffers[static_cast<size_t>(index)];
    switch (buffer.kind) {
      case BufferKind::kParam:
        // Kernels read parameters only; the mapping is read-only.
        return const_cast<char*>(package_.params().data()) + buffer.offset_bytes;
      case BufferKind::kArena:
        return const_cast<char*>(arena_.data<char>()) + buffer.offset_bytes;
      default:
        return const_cast<char*>(user_[static_cast<size_t>(index)].data<char>());
    }
  }

  // The number of the kernel that a session would run.
  size_t KernelOf(const PlanCall& call) const {
    const auto extent_at = [this](int buffer) { return reinterpret_cast<const int64_t*>(AddressOf(buffer)); };
    const auto fits = [&](const CallVariant& variant) { return AllHold(LimitsOf(variant, extent_at)); };
    const auto variant = std::find_if(call.variants.begin(), call.variants.end(), fits);
    return static_cast<size_t>(variant == call.variants.end() ? call.kernel : variant->kernel);
  }

  void RunCall(const PlanCall& call) {
    const size_t index = KernelOf(call);
    const PlanKernel& kernel = plan().kernels[index];
    KernelLaunch launch;
    int64_t worker_bytes = 0;
    for (size_t i = 0; i < kernel.stages.size(); ++i) {
      launch.stages.push_back({package_.impl().functions[index][i], kernel.stages[i].extent, kernel.stages[i].grain});
      worker_bytes = std::max(worker_bytes, (kernel.stages[i].worker_workspace_bytes + 63) / 64 * 64);
    }
    for (const PlanView& view : call.operands) {
      launch.operands.push_back(AddressOf(view.buffer) + view.offset_bytes);
      launch.batch_strides.push_back(view.batch_stride_bytes);
    }
    Tensor shared = Bytes(kernel.shared_workspace_bytes), own = Bytes(worker_bytes * pool_.threads());
    if (kernel.shared_workspace_bytes > 0) launch.shared_workspace = shared.raw();
    if (worker_bytes > 0) launch.worker_workspaces = own.data<char>();
    launch.worker_stride_bytes = worker_bytes;
    const int32_t code = RunKernel(pool_, launch);
    if (code != 0) throw Error(ExitCode::kBug, fmt::format("the kernel of {} returned code {}", call.op, code));
  }

  Tensor ValueOf(const PlanBuffer& buffer, int index) const {
    const bool plain = buffer.layout.empty() || buffer.layout.LogicalAxes().size() != buffer.shape.size();
    Tensor physical(buffer.dtype, plain ? buffer.shape : buffer.layout.PhysicalShape(buffer.shape));
    const int64_t bytes = std::min(buffer.size_bytes, physical.size_bytes());
    if (bytes > 0) std::memcpy(physical.raw(), AddressOf(index), static_cast<size_t>(bytes));
    return plain ? physical : Unpack(physical, buffer.layout, buffer.shape);
  }

  const Package& package_;
  ThreadPool pool_;
  Tensor arena_;
  std::vector<Tensor> user_;                   // one per plan buffer; not defined for parameters and the arena
  std::vector<std::vector<int>> whole_after_;  // for each call, the buffers that it is the last to write
};

}  // namespace

void RunObserved(const std::shared_ptr<const Package>& package, const std::vector<Tensor>& inputs, int threads,
                 const Observer& observe) {
  if (!package->impl().library) throw Error(ExitCode::kBug, "a package that was only inspected cannot be run; load it");
  ObservedRun(*package, inputs, threads).Run(observe);
}

}  // namespace hone
