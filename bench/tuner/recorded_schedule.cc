#include "bench/tuner/recorded_schedule.h"

#include <fmt/format.h>

#include "core/error.h"
#include "tuner/search/search_space.h"

namespace hone::bench {

RecordedSchedule::RecordedSchedule(const RecordedPart& part) : part_(part), real_(FindSchedule(part.schedule)) {
  if (real_ == nullptr) {
    throw Error(ExitCode::kBadData,
                fmt::format("a recorded space names schedule {}, which there is not", part.schedule));
  }
}

std::optional<std::string> RecordedSchedule::Reject(const Workload&, const MachineModel&, const Config& config) const {
  return MinNs(config) == kRejected ? std::optional<std::string>("not in the recording") : std::nullopt;
}

int64_t RecordedSchedule::MinNs(const Config& config) const {
  const auto index = part_.space.IndexOf(config);
  return index ? part_.times_ns[static_cast<size_t>(*index)] : kRejected;
}

RecordedTask::RecordedTask(const RecordedSpace& space, const MachineModel& machine) : best_ns(space.BestNs()) {
  task.workload = space.workload;
  task.machine = machine;
  for (const RecordedPart& part : space.parts) {
    schedules.push_back(std::make_unique<RecordedSchedule>(part));
    task.schedules.push_back(schedules.back().get());
  }
  task.space = std::make_shared<const SearchSpace>(task);
}

Observation RecordedTask::Measure(const Proposal& proposal) const {
  for (const auto& schedule : schedules) {
    if (schedule->name() != proposal.schedule) continue;
    const int64_t min_ns = schedule->MinNs(proposal.config);
    return {proposal, min_ns > 0, min_ns > 0 ? min_ns : 0};
  }
  return {proposal, false, 0};
}

}  // namespace hone::bench
