#include "rpc_runner/executor/job_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/artifact.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "runtime/host_cpu.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr int64_t kMostInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostJobMemoryBytes = int64_t{1} << 40;
// The limit of one buffer, which must be addressable.
constexpr int64_t kMostBufferBytes = int64_t{1} << (sizeof(size_t) == 8 ? 40 : 30);
constexpr size_t kMostFeatures = 256, kMostNameBytes = 64;
constexpr const char* kOutOfRange = "the timing policy has a number out of range";

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

int64_t PlainBytes(const KernelOperand& operand) {
  KernelOperand plain = operand;
  plain.layout = Layout();
  return PhysicalBytes(plain);
}

}  // namespace

std::string CheckJobLimits(const TimingPolicy& timing, int cores) {
  if (timing.threads < 1 || timing.threads > cores) {
    return fmt::format("{} threads were asked for; this runner has {}", timing.threads, Counted(cores, "core"));
  }
  const bool right = timing.deadline_ns > 0 && timing.memory_bytes > 0 && timing.memory_bytes <= kMostJobMemoryBytes;
  return right ? "" : kOutOfRange;
}

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
  if (std::string why = CheckJobLimits(job.timing, cores); !why.empty()) return why;
  if (job.timing.min_samples < 1 || job.timing.min_sample_ns < 0 || job.timing.incumbent_ns < 0) return kOutOfRange;
  if (std::string why = CheckArtifact(job.artifact, 1); !why.empty()) return "the candidate: " + why;
  if (std::string why = CheckArtifact(job.reference, 2); !why.empty()) return "the reference: " + why;
  return CheckSameWorkload(job.artifact, job.reference);
}

int64_t CgroupMemoryBytes(const std::string& membership, const std::string& root) {
  const double least = LeastOfCgroups(membership, root, "memory", [](const std::string& folder, bool version2) {
    // "max" is not a number and means no limit.
    const std::string text = FirstLineOf(folder + (version2 ? "/memory.max" : "/memory.limit_in_bytes"));
    return static_cast<double>(ParseInteger(text).value_or(0));
  });
  // Version 1 expresses "no limit" as the largest multiple of a page.
  return least > 0 && least < static_cast<double>(kMostInt64 / 2) ? static_cast<int64_t>(least) : kMostInt64;
}

int64_t MachineBytes() {
  const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t container = CgroupMemoryBytes(ReadSmallFile("/proc/self/cgroup").value_or(""), "/sys/fs/cgroup");
  // No process has more memory than it can address.
  return std::min({bytes, container, int64_t{std::numeric_limits<ptrdiff_t>::max()}});
}

JobCaps CapsOf(const ExecutorOptions& options) {
  const auto given = [](int64_t bytes, int64_t otherwise) { return bytes > 0 ? bytes : otherwise; };
  const int64_t machine_bytes = MachineBytes();
  return {options.max_deadline_ns, given(options.max_memory_bytes, machine_bytes / 4 * 3),
          given(options.max_package_bytes, machine_bytes / 4), given(options.max_cache_bytes, machine_bytes / 8)};
}

void ApplyCaps(const JobCaps& caps, TimingPolicy* timing) {
  timing->deadline_ns = std::min(timing->deadline_ns, caps.deadline_ns);
  timing->memory_bytes = std::min(timing->memory_bytes, caps.memory_bytes);
}

void NameCap(const JobCaps& caps, int64_t asked_ns, Measurement* measurement) {
  if (measurement->fate != Fate::kTimedOut || asked_ns <= caps.deadline_ns) return;
  measurement->message +=
      fmt::format(", which is this runner's --max-deadline of {:.3g} s", static_cast<double>(caps.deadline_ns) / 1e9);
}

int64_t ExecutorBytes(const KernelJob& job) {
  // An operand has at most 2^40 bytes, and there are 16 operands for each of 16 seeds, so no sum overflows.
  int64_t each_seed = 0, largest = 0;
  for (const KernelOperand& operand : job.artifact.operands) {
    int64_t bytes = PhysicalBytes(operand) + PlainBytes(operand);
    // Values and magnitudes in float64, once as the reference wrote them and once packed like the output.
    if (operand.role == OperandRole::kOutput) bytes = bytes / DTypeBytes(operand.dtype) * 16;
    each_seed += bytes;
    largest = std::max(largest, bytes);
  }
  const auto seeds = static_cast<int64_t>(job.seeds.size());
  if (each_seed > (kMostInt64 - 2 * largest) / std::max<int64_t>(1, seeds)) return kMostInt64;
  // Only one operand is filled, packed and copied at a time.
  return seeds * each_seed + 2 * largest + PhysicalBytes(job.artifact.operands.back());
}

}  // namespace hone
