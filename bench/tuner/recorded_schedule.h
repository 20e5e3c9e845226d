// A recorded space as schedules, so that a strategy searches it as it would the real one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/tuner/recorded_space.h"
#include "compiler/schedules/schedule.h"

namespace hone::bench {

// One schedule's part of a recorded space: the knobs' values are those that occur, what was not recorded is rejected,
// and the estimate is the recorded one. Emits nothing.
class RecordedSchedule : public Schedule {
 public:
  RecordedSchedule(std::string name, const RecordedSpace& space);
  std::string_view name() const override { return name_; }
  int version() const override { return 1; }
  bool Applies(const Workload&, const MachineModel&) const override { return true; }
  ConfigSpace Space(const Workload&, const MachineModel&) const override { return space_; }
  std::optional<std::string> Reject(const Workload&, const MachineModel&, const Config& config) const override;
  std::vector<KernelOperand> Operands(const Workload&, const Config&, const Epilogue&) const override { return {}; }
  EmittedKernel Emit(KernelBuilder&, const Workload&, const MachineModel&, const Config&, const Epilogue&,
                     const std::string&) const override {
    return {};
  }
  double EstimateNs(const Workload&, const MachineModel&, const Config& config) const override;
  // 0 when it failed or was not recorded.
  int64_t MinNs(const Config& config) const;

 private:
  std::string name_;
  ConfigSpace space_;
  std::map<int64_t, std::pair<int64_t, int64_t>> times_;  // estimate and least time, by index in space_
};

// The whole space as a task, with its schedules.
struct RecordedTask {
  explicit RecordedTask(const RecordedSpace& space);
  std::vector<std::unique_ptr<RecordedSchedule>> schedules;
  SearchTask task;
  int64_t best_ns = 0;
  Observation Measure(const Proposal& proposal) const;
};

}  // namespace hone::bench
