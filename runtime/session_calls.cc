#include "runtime/session_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "runtime/package_impl.h"

namespace hone {

int64_t WorkspaceBytesOf(const PlanKernel& kernel) {
  constexpr int64_t kLine = 64;
  int64_t most = 0;
  for (const KernelStage& stage : kernel.stages) most = std::max(most, stage.worker_workspace_bytes);
  return (most + kLine - 1) / kLine * kLine;
}

bool IsBindable(const PlanBuffer& buffer) {
  return buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kOutput;
}

SessionCalls::SessionCalls(const Package& package, ThreadPool& pool, const CallMemory& memory)
    : package_(package), pool_(pool) {
  for (const PlanCall& call : plan().calls) {
    std::vector<Launch>& of_call = launches_.emplace_back();
    for (const CallVariant& variant : call.variants) {
      of_call.push_back(LaunchOf(OperandsOf(call, variant), variant.kernel, variant.boxes, memory));
      of_call.back().limits = LimitsOf(variant, memory.extent);
    }
    of_call.push_back(LaunchOf(call.operands, call.kernel, call.boxes, memory));
  }
  uses_.resize(plan().buffers.size());
  for (size_t i = 0; i < launches_.size(); ++i) {
    for (Launch& each : launches_[i]) AddUses(plan().calls[i].operands, each.launch);
  }
}

KernelLaunch SessionCalls::KernelLaunchOf(const std::vector<PlanView>& operands, int number,
                                          const CallMemory& memory) const {
  const PlanKernel& kernel = plan().kernels[number];
  const auto& functions = package_.impl().functions[number];
  KernelLaunch launch;
  for (size_t i = 0; i < kernel.stages.size(); ++i) {
    launch.stages.push_back({functions[i], kernel.stages[i].extent, kernel.stages[i].grain});
  }
  for (const PlanView& view : operands) {
    launch.operands.push_back(memory.address(view));
    launch.batch_strides.push_back(view.batch_stride_bytes);
  }
  if (kernel.shared_workspace_bytes > 0) launch.shared_workspace = memory.shared_workspace;
  launch.worker_stride_bytes = WorkspaceBytesOf(kernel);
  if (launch.worker_stride_bytes > 0) launch.worker_workspaces = memory.worker_workspaces;
  return launch;
}

SessionCalls::Launch SessionCalls::LaunchOf(const std::vector<PlanView>& operands, int kernel,
                                            const std::vector<ItemBox>& boxes, const CallMemory& memory) const {
  Launch made{
      kernel, {}, KernelLaunchOf(operands, kernel, memory), RunsOf(boxes, plan().kernels[kernel], memory.extent)};
  for (size_t i = 0; i < made.runs.size(); ++i) made.launch.stages[i].runs = made.runs[i].get();
  return made;
}

void SessionCalls::AddUses(const std::vector<PlanView>& views, KernelLaunch& launch) {
  for (size_t i = 0; i < views.size(); ++i) {
    if (!IsBindable(plan().buffers[views[i].buffer])) continue;
    uses_[views[i].buffer].push_back({&launch.operands[i], views[i].offset_bytes});
  }
}

SessionCalls::Launch& SessionCalls::At(size_t call) {
  return *std::find_if(launches_[call].begin(), launches_[call].end(),
                       [](const Launch& each) { return AllHold(each.limits); });
}

void SessionCalls::Run(size_t call, Launch& launch, WorkerTime* times) {
  for (const auto& stage : launch.runs) {
    if (stage != nullptr) stage->Update();
  }
  const int32_t code = RunKernel(pool_, launch.launch, times);
  if (code == 0) return;
  const PlanCall& failed = plan().calls[call];
  throw Error(ExitCode::kBug,
              fmt::format("the kernel of {} ({}) returned code {}",
                          failed.nodes.empty() ? fmt::format("call {}", call) : failed.nodes.front(), failed.op, code));
}

void SessionCalls::Bind(int buffer, char* data) {
  for (const Use& use : uses_[buffer]) *use.operand = data + use.offset_bytes;
}

}  // namespace hone
