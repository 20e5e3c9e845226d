#include "rpc_runner/executor/job_caps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "core/text/parse_number.h"
#include "runtime/operand_bytes.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr int64_t kMostInt64 = std::numeric_limits<int64_t>::max();

int64_t MachineBytes() {
  const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t container = CgroupMemoryBytes(ReadSmallFile("/proc/self/cgroup").value_or(""), "/sys/fs/cgroup");
  // No process has more memory than it can address.
  return std::min({bytes, container, int64_t{std::numeric_limits<ptrdiff_t>::max()}});
}

int64_t PlainBytes(const KernelOperand& operand) {
  KernelOperand plain = operand;
  plain.layout = Layout();
  return PhysicalBytes(plain);
}

}  // namespace

int64_t CgroupMemoryBytes(const std::string& membership, const std::string& root) {
  const double least = LeastOfCgroups(membership, root, "memory", [](const std::string& folder, bool version2) {
    // "max" is not a number and means no limit.
    const std::string text = FirstLineOf(folder + (version2 ? "/memory.max" : "/memory.limit_in_bytes"));
    return static_cast<double>(ParseInteger(text).value_or(0));
  });
  // Version 1 expresses "no limit" as the largest multiple of a page.
  return least > 0 && least < static_cast<double>(kMostInt64 / 2) ? static_cast<int64_t>(least) : kMostInt64;
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
