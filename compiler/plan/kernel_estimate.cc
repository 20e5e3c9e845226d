#include "compiler/plan/kernel_estimate.h"

#include <algorithm>

#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule.h"
#include "core/workload.h"

namespace hone {
namespace {

// Nanoseconds from one call to the next.
constexpr double kCallNs = 60;
// MachineModel::l3_bytes is the share that one core can rely on; a network that has the machine for itself gets more.
constexpr double kL3Shares = 4;

double OperandBytes(const std::vector<KernelOperand>& operands) {
  int64_t bytes = 0;
  for (const KernelOperand& operand : operands) {
    const bool plain = operand.layout.ToText().empty();
    const Shape shape = plain ? operand.shape : operand.layout.PhysicalShape(operand.shape);
    bytes += ElementCount(shape) * DTypeBytes(operand.dtype);
  }
  return static_cast<double>(bytes);
}

// The rate of all workers together, from the cache that holds `bytes`.
double BytesPerCycle(double bytes, const MachineModel& machine) {
  const LevelRates& rates = machine.moved_bytes_per_cycle;
  if (bytes <= static_cast<double>(machine.l2_bytes)) return rates.l2 * machine.threads;
  if (bytes <= kL3Shares * static_cast<double>(machine.l3_bytes)) return rates.l3 * machine.threads;
  return machine.threads == 1 ? rates.memory
                              : rates.memory * machine.shared_bytes_per_cycle / machine.cold_bytes_per_cycle;
}

double RooflineNs(const CompiledKernel& kernel, const MachineModel& machine) {
  double cycles = 0, moved = 0;
  for (size_t i = 0; i < kernel.costs.size(); ++i) {
    const KernelStage& stage = kernel.emitted.stages.at(i);
    const int64_t parts = CeilDiv(std::max<int64_t>(stage.extent, 1), stage.grain);
    cycles += kernel.costs[i].cycles * ThreadShare(parts, machine.threads);
    moved += kernel.costs[i].bytes;
  }
  const double held = OperandBytes(kernel.operands);
  return std::max(cycles, std::min(moved, held) / BytesPerCycle(held, machine)) / machine.clock_ghz;
}

}  // namespace

MachineModel ForParams(MachineModel machine, int64_t params_bytes) {
  const auto bytes = static_cast<double>(params_bytes);
  if (bytes > kL3Shares * static_cast<double>(machine.l3_bytes)) return machine;
  machine.shared_bytes_per_cycle = BytesPerCycle(bytes, machine);
  machine.cold_bytes_per_cycle = machine.shared_bytes_per_cycle / machine.threads;
  return machine;
}

std::optional<double> EstimateNs(const Dispatch& dispatch, const CompiledKernel& kernel, const MachineModel& machine) {
  if (!dispatch.workload.empty()) {
    return FindSchedule(dispatch.schedule)
        ->EstimateNs(Workload::Parse(dispatch.workload), machine, Config::Parse(dispatch.config));
  }
  const bool known =
      std::all_of(kernel.costs.begin(), kernel.costs.end(), [](const CodeCost& cost) { return cost.known; });
  if (!known) return std::nullopt;
  return kCallNs + RooflineNs(kernel, machine) + WakingNs(machine.threads);
}

}  // namespace hone
