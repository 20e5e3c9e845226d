#include "compiler/compile_kernel.h"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"
#include "compiler/ops/kernel.h"
#include "compiler/schedules/reference_kernel.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/machine/required_features.h"

namespace hone {
namespace {

std::string SymbolFor(const std::string& key) { return "k_" + Sha256Hex(key).substr(0, 16); }

CompiledKernel Compile(KernelBuilder& builder, const Target& target, EmittedKernel emitted,
                       std::vector<KernelOperand> operands) {
  CompiledKernel kernel;
  kernel.object = EmitObject(builder, target);
  kernel.object_sha256 = Sha256Hex(kernel.object);
  kernel.emitted = std::move(emitted);
  kernel.operands = std::move(operands);
  return kernel;
}

Artifact LinkAlone(const CompiledKernel& kernel, const Target& target, const ElementTypes& types) {
  Artifact artifact;
  artifact.elf = LinkShared({kernel.object}, target);
  artifact.object_sha256 = kernel.object_sha256;
  artifact.stages = kernel.emitted.stages;
  artifact.shared_workspace_bytes = kernel.emitted.shared_workspace_bytes;
  artifact.operands = kernel.operands;
  artifact.required_features = RequiredFeatures(MachineModelFor(target), types);
  return artifact;
}

const Schedule& ScheduleOf(const Candidate& candidate) {
  const Schedule* schedule = FindSchedule(candidate.schedule);
  if (!schedule || !schedule->Fits(candidate.workload, MachineModelFor(candidate.target))) {
    throw Error(ExitCode::kBug,
                fmt::format("schedule {} does not apply to {}", candidate.schedule, candidate.workload.ToText()));
  }
  return *schedule;
}

EmittedKernel EmitAnchor(KernelBuilder& builder, const Schedule& schedule, const Candidate& candidate,
                         const Epilogue& epilogue) {
  const std::string key =
      fmt::format("{}|{}|{}|v{}|{}|{}", candidate.target.ToText(), candidate.workload.ToText(), candidate.schedule,
                  schedule.version(), candidate.config.ToText(), epilogue.ToText());
  return schedule.Emit(builder, candidate.workload, builder.machine(), candidate.config, epilogue, SymbolFor(key));
}

}  // namespace

CompiledKernel CompileAnchorObject(const Candidate& candidate, const Epilogue& epilogue) {
  const Schedule& schedule = ScheduleOf(candidate);
  KernelBuilder builder(candidate.target, MachineModelFor(candidate.target));
  EmittedKernel emitted = EmitAnchor(builder, schedule, candidate, epilogue);
  return Compile(builder, candidate.target, std::move(emitted),
                 schedule.Operands(candidate.workload, candidate.config, epilogue));
}

std::string CompileAssembly(const Candidate& candidate) {
  KernelBuilder builder(candidate.target, MachineModelFor(candidate.target));
  EmitAnchor(builder, ScheduleOf(candidate), candidate, CanonicalEpilogue(candidate.workload));
  return EmitAssembly(builder, candidate.target);
}

CompiledKernel CompileGenericObject(const relay::Function& function, const Target& target) {
  KernelBuilder builder(target, MachineModelFor(target));
  const std::string key = fmt::format("{}|{}", target.ToText(), GenericKey(function));
  EmittedKernel emitted = EmitGeneric(builder, function, SymbolFor(key));
  std::vector<CodeCost> costs = CostOf(builder, target, emitted.stages);
  CompiledKernel kernel = Compile(builder, target, std::move(emitted), GenericOperands(function));
  kernel.costs = std::move(costs);
  return kernel;
}

std::variant<Artifact, Rejection> CompileKernel(const Candidate& candidate, const std::optional<Epilogue>& epilogue) {
  const Schedule* schedule = FindSchedule(candidate.schedule);
  const MachineModel machine = MachineModelFor(candidate.target);
  if (!schedule) return Rejection{Fate::kUnsupported, fmt::format("there is no schedule {}", candidate.schedule)};
  if (!schedule->Fits(candidate.workload, machine)) {
    return Rejection{Fate::kUnsupported, fmt::format("{} does not apply to this workload", candidate.schedule)};
  }
  if (auto reason = schedule->Reject(candidate.workload, machine, candidate.config)) {
    return Rejection{Fate::kInvalidConfig, *reason};
  }
  try {
    const Epilogue fused = epilogue.value_or(CanonicalEpilogue(candidate.workload));
    return LinkAlone(CompileAnchorObject(candidate, fused), candidate.target, candidate.workload.types);
  } catch (const std::bad_alloc&) {
    throw;  // the caller knows how much memory this process may use, and whether it had that
  } catch (const std::exception& error) {
    return FailureOf(error, Fate::kCompileFailed);
  }
}

std::optional<CompiledKernel> CompiledKernels::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(key);
  if (found == kernels_.end()) return std::nullopt;
  return found->second;
}

void CompiledKernels::Add(const std::string& key, const CompiledKernel& kernel) {
  const std::lock_guard lock(mutex_);
  kernels_.try_emplace(key, kernel);
}

Artifact CompileReference(const Workload& workload, const Target& target) {
  KernelBuilder builder(target, MachineModelFor(target));
  EmittedKernel emitted =
      EmitReference(builder, workload, SymbolFor(fmt::format("reference|{}|{}", target.ToText(), workload.ToText())));
  return LinkAlone(Compile(builder, target, std::move(emitted), ReferenceOperands(workload)), target, workload.types);
}

}  // namespace hone
