// A recorded space presented as schedules, so that a strategy searches it like the real one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/tuner/recorded_space.h"
#include "compiler/schedules/schedule.h"
#include "tuner/search/strategy.h"

namespace hone::bench {

// One schedule's part of a recorded space, which must outlive it. Knobs and rejections are as recorded. The estimate is
// the present code's, so that a replay judges it too. Emits nothing.
class RecordedSchedule : public Schedule {
 public:
  // Throws Error(kBadData) if there is no such schedule.
  explicit RecordedSchedule(const RecordedPart& part);
  std::string_view name() const override { return part_.schedule; }
  int version() const override { return real_->version(); }
  bool Applies(const Workload&, const MachineModel&) const override { return true; }
  std::vector<KnobRow> Knobs() const override { return real_->Knobs(); }
  ConfigSpace Space(const Workload&, const MachineModel&) const override { return part_.space; }
  std::optional<std::string> Reject(const Workload&, const MachineModel&, const Config& config) const override;
  std::vector<KernelOperand> Operands(const Workload&, const Config&, const Epilogue&) const override { return {}; }
  EmittedKernel Emit(KernelBuilder&, const Workload&, const MachineModel&, const Config&, const Epilogue&,
                     const std::string&) const override {
    return {};
  }
  TileShape Tile(const Workload& workload, const MachineModel& machine, const Config& config) const override {
    return real_->Tile(workload, machine, config);
  }
  double EstimateNs(const Workload& workload, const MachineModel& machine, const Config& config) const override {
    return real_->EstimateNs(workload, machine, config);
  }
  // kFailed or kRejected if there is no time.
  int64_t MinNs(const Config& config) const;

 private:
  const RecordedPart& part_;
  const Schedule* real_;
};

// The whole space as a task, with its schedules. The recorded space must outlive it. `machine` is the machine that the
// search assumes: another than the recording's misleads the estimate.
struct RecordedTask {
  RecordedTask(const RecordedSpace& space, const MachineModel& machine);
  explicit RecordedTask(const RecordedSpace& space) : RecordedTask(space, MachineModelFor(space.target)) {}
  std::vector<std::unique_ptr<RecordedSchedule>> schedules;
  SearchTask task;
  int64_t best_ns = 0;
  Observation Measure(const Proposal& proposal) const;
};

}  // namespace hone::bench
