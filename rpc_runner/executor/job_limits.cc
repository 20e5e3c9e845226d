#include "rpc_runner/executor/job_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "runtime/host_cpu.h"
#include "runtime/operand_bytes.h"

namespace hone {
namespace {

constexpr int64_t kMostJobMemoryBytes = int64_t{1} << 40;
// The limit of one buffer, which must be addressable.
constexpr int64_t kMostBufferBytes = int64_t{1} << (sizeof(size_t) == 8 ? 40 : 30);
constexpr size_t kMostFeatures = 256, kMostNameBytes = 64;

std::string CheckOperand(const KernelOperand& operand, size_t index) {
  for (int64_t dim : operand.shape) {
    if (dim < 1) return fmt::format("operand {} has the shape {}", index, ShapeText(operand.shape));
  }
  try {
    if (PhysicalBytes(operand) > kMostBufferBytes) return fmt::format("operand {} is larger than any memory", index);
  } catch (const Error& error) {
    return fmt::format("operand {}: {}", index, error.what());
  }
  return "";
}

std::string CheckStage(const KernelStage& stage) {
  const bool right = !stage.symbol.empty() && stage.extent >= 0 && stage.grain >= 1 &&
                     stage.worker_workspace_bytes >= 0 && stage.worker_workspace_bytes <= kMostBufferBytes;
  return right ? "" : fmt::format("stage \"{}\" has a number out of range", stage.symbol);
}

// Checked before anything runs: a fault of an unknown instruction would be blamed on the candidate.
std::string CheckFeatures(const Artifact& artifact) {
  if (artifact.required_features.size() > kMostFeatures) return "it needs more features than there are";
  const std::string missing = FirstMissingFeature(artifact.required_features);
  return missing.empty() ? "" : fmt::format("it needs {}, which this CPU lacks", missing.substr(0, kMostNameBytes));
}

// `outputs`: 1 for a candidate, 2 for a reference.
std::string CheckArtifact(const Artifact& artifact, size_t outputs) {
  const size_t count = artifact.operands.size();
  if (count <= outputs || count > kMaxOperands) return fmt::format("{} operands", count);
  if (artifact.stages.empty() || artifact.stages.size() > kMaxStages)
    return fmt::format("{} stages", artifact.stages.size());
  if (artifact.shared_workspace_bytes < 0 || artifact.shared_workspace_bytes > kMostBufferBytes)
    return "its workspace's size";
  for (size_t i = 0; i < count; ++i) {
    if (std::string why = CheckOperand(artifact.operands[i], i); !why.empty()) return why;
    if ((artifact.operands[i].role == OperandRole::kOutput) != (i + outputs >= count)) {
      return fmt::format("operand {} is out of order: inputs come first, then {} output(s)", i, outputs);
    }
  }
  for (const KernelStage& stage : artifact.stages) {
    if (std::string why = CheckStage(stage); !why.empty()) return why;
  }
  return CheckFeatures(artifact);
}

std::string CheckSameWorkload(const Artifact& artifact, const Artifact& reference) {
  if (artifact.operands.size() + 1 != reference.operands.size()) return "candidate and reference differ in operands";
  for (size_t i = 0; i < artifact.operands.size(); ++i) {
    const bool output = i + 1 == artifact.operands.size();
    const KernelOperand& ours = artifact.operands[i];
    const KernelOperand& theirs = reference.operands[i];
    if (ours.shape != theirs.shape || (!output && ours.dtype != theirs.dtype)) {
      return fmt::format("operand {} is {} {} in the candidate, {} {} in the reference", i, DTypeName(ours.dtype),
                         ShapeText(ours.shape), DTypeName(theirs.dtype), ShapeText(theirs.shape));
    }
  }
  const KernelOperand& value = reference.operands[reference.operands.size() - 2];
  const KernelOperand& magnitude = reference.operands.back();
  const bool right = value.dtype == DType::kFloat64 && magnitude.dtype == DType::kFloat64 &&
                     value.shape == magnitude.shape && !value.layout.blocked() && !magnitude.layout.blocked();
  return right ? "" : "a reference's two outputs should be row-major float64 of one shape";
}

std::string CheckTiming(const TimingPolicy& timing, int cores) {
  if (timing.threads < 1 || timing.threads > cores) {
    return fmt::format("{} threads were asked for; this runner has {} cores", timing.threads, cores);
  }
  const bool right = timing.min_samples >= 1 && timing.min_sample_ns >= 0 && timing.incumbent_ns >= 0 &&
                     timing.deadline_ns > 0 && timing.memory_bytes > 0 && timing.memory_bytes <= kMostJobMemoryBytes;
  return right ? "" : "the timing policy has a number out of range";
}

}  // namespace

int64_t BatchStrideBytes(const KernelOperand& operand) {
  const bool weights = operand.role == OperandRole::kWeight || operand.role == OperandRole::kBias;
  return weights || operand.shape.empty() ? 0 : PhysicalBytes(operand) / operand.shape[0];
}

int64_t WorkerStrideBytes(const Artifact& artifact) {
  int64_t most = 0;
  for (const KernelStage& stage : artifact.stages) most = std::max(most, stage.worker_workspace_bytes);
  return (most + 63) / 64 * 64;
}

int64_t NeededBytes(const Artifact& artifact, int workers) {
  int64_t sum = artifact.shared_workspace_bytes + workers * WorkerStrideBytes(artifact);
  for (const KernelOperand& operand : artifact.operands) sum += PhysicalBytes(operand);
  return sum;
}

std::string CheckJob(const KernelJob& job, int cores) {
  if (job.seeds.empty() || job.seeds.size() > kMaxSeeds)
    return fmt::format("{} seeds, 1 to {} are right", job.seeds.size(), kMaxSeeds);
  if (!(job.tolerance >= 0) || !std::isfinite(job.tolerance)) return "the tolerance should be a number not below 0";
  if (std::string why = CheckTiming(job.timing, cores); !why.empty()) return why;
  if (std::string why = CheckArtifact(job.artifact, 1); !why.empty()) return "the candidate: " + why;
  if (std::string why = CheckArtifact(job.reference, 2); !why.empty()) return "the reference: " + why;
  return CheckSameWorkload(job.artifact, job.reference);
}

}  // namespace hone
