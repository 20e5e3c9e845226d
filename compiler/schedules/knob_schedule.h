// A schedule whose knobs are a table: it gets every config parsed.
#pragma once

#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule.h"

namespace hone {

// `Table` is a KnobTable. The functions of Schedule that take a config call the ones ending in With with its values.
// RejectWith only gets values that their rows allow.
template <typename Table>
class KnobSchedule : public Schedule {
 public:
  std::vector<KnobRow> Knobs() const final { return Table(Config()).rows(); }
  ConfigSpace Space(const Workload& workload, const MachineModel& machine) const final {
    return Table(Config()).Space(workload, machine);
  }
  std::optional<std::string> Reject(const Workload& workload, const MachineModel& machine,
                                    const Config& config) const final {
    const Table knobs(config);
    if (auto refusal = knobs.Refusal()) return refusal;
    return RejectWith(workload, machine, knobs);
  }
  std::vector<KernelOperand> Operands(const Workload& workload, const Config& config,
                                      const Epilogue& epilogue) const final {
    return OperandsWith(workload, Table(config), epilogue);
  }
  EmittedKernel Emit(KernelBuilder& builder, const Workload& workload, const MachineModel& machine,
                     const Config& config, const Epilogue& epilogue, const std::string& symbol) const final {
    const Table knobs(config);
    EmittedKernel kernel = EmitWith(builder, workload, machine, knobs, epilogue, symbol);
    if (knobs.workers > 0) ShareAmong(static_cast<int>(knobs.workers), kernel.stages);
    return kernel;
  }
  TileShape Tile(const Workload& workload, const MachineModel& machine, const Config& config) const final {
    return TileWith(workload, machine, Table(config));
  }
  double EstimateNs(const Workload& workload, const MachineModel& machine, const Config& config) const final {
    const Table knobs(config);
    if (knobs.workers == 0 || knobs.workers >= machine.threads) {
      return EstimateNsWith(workload, machine, knobs) + WakingNs(machine.threads);
    }
    MachineModel fewer = machine;
    fewer.threads = static_cast<int>(knobs.workers);
    return EstimateNsWith(workload, fewer, knobs) + WakingNs(fewer.threads);
  }

 private:
  virtual std::optional<std::string> RejectWith(const Workload& workload, const MachineModel& machine,
                                                const Table& knobs) const = 0;
  virtual std::vector<KernelOperand> OperandsWith(const Workload& workload, const Table& knobs,
                                                  const Epilogue& epilogue) const = 0;
  virtual EmittedKernel EmitWith(KernelBuilder& builder, const Workload& workload, const MachineModel& machine,
                                 const Table& knobs, const Epilogue& epilogue, const std::string& symbol) const = 0;
  virtual TileShape TileWith(const Workload& workload, const MachineModel& machine, const Table& knobs) const = 0;
  virtual double EstimateNsWith(const Workload& workload, const MachineModel& machine, const Table& knobs) const = 0;
};

}  // namespace hone
