#include "bench/tuner/recorded_schedule.h"

#include <algorithm>
#include <set>

#include "tuner/search_space.h"

namespace hone::bench {

RecordedSchedule::RecordedSchedule(std::string name, const RecordedSpace& space) : name_(std::move(name)) {
  std::vector<std::string> order;
  std::map<std::string, std::set<int64_t>> values;
  for (const RecordedConfig& config : space.configs) {
    if (config.proposal.schedule != name_) continue;
    for (const auto& [knob, value] : config.proposal.config.values()) {
      if (values[knob].empty()) order.push_back(knob);
      values[knob].insert(value);
    }
  }
  std::vector<Knob> knobs;
  for (const std::string& knob : order) knobs.push_back({knob, {values[knob].begin(), values[knob].end()}});
  space_ = ConfigSpace(std::move(knobs));
  for (const RecordedConfig& config : space.configs) {
    if (config.proposal.schedule != name_) continue;
    times_[*space_.IndexOf(config.proposal.config)] = {config.estimate_ns, config.min_ns};
  }
}

std::optional<std::string> RecordedSchedule::Reject(const Workload&, const MachineModel&, const Config& config) const {
  const auto index = space_.IndexOf(config);
  if (index && times_.contains(*index)) return std::nullopt;
  return "not in the recording";
}

double RecordedSchedule::EstimateNs(const Workload&, const MachineModel&, const Config& config) const {
  const auto index = space_.IndexOf(config);
  return index && times_.contains(*index) ? static_cast<double>(times_.at(*index).first) : 1e18;
}

int64_t RecordedSchedule::MinNs(const Config& config) const {
  const auto index = space_.IndexOf(config);
  return index && times_.contains(*index) ? times_.at(*index).second : 0;
}

RecordedTask::RecordedTask(const RecordedSpace& space) : best_ns(space.BestNs()) {
  std::set<std::string> names;
  for (const RecordedConfig& config : space.configs) {
    if (names.insert(config.proposal.schedule).second) {
      schedules.push_back(std::make_unique<RecordedSchedule>(config.proposal.schedule, space));
    }
  }
  task.workload = space.workload;
  task.machine = MachineModelFor(space.target);
  for (const auto& schedule : schedules) task.schedules.push_back(schedule.get());
  task.space = std::make_shared<const SearchSpace>(task);
}

Observation RecordedTask::Measure(const Proposal& proposal) const {
  for (const auto& schedule : schedules) {
    if (schedule->name() != proposal.schedule) continue;
    const int64_t min_ns = schedule->MinNs(proposal.config);
    return {proposal, min_ns > 0, min_ns};
  }
  return {proposal, false, 0};
}

}  // namespace hone::bench
