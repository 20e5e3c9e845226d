#include "tuner/record_config_source.h"

#include <array>

#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

// By RecordStore::Ranked::rank.
constexpr std::array<const char*, 4> kSources = {"record", "other threads", "same microarchitecture", "near"};

// More than a build needs: those at the front may be of an older schedule.
constexpr int64_t kLooked = 64;

}  // namespace

std::optional<ConfigChoice> RecordConfigSource::Choose(
    const Workload& workload, const Target& target, int threads,
    const std::function<bool(const std::string& schedule, const Config& config)>& valid) {
  for (const auto& [record, rank] : store_.Best(workload.ToText(), target, cpu_model_, threads, kLooked)) {
    const Candidate& candidate = record.candidate;
    const Schedule* schedule = FindSchedule(candidate.schedule);
    if (schedule == nullptr || schedule->version() != record.schedule_version) continue;
    if (rank < 0 || rank >= static_cast<int>(kSources.size()) || !valid(candidate.schedule, candidate.config)) continue;
    return ConfigChoice{candidate.schedule, candidate.config, kSources[static_cast<size_t>(rank)], record.id,
                        record.measurement.MinNs()};
  }
  return std::nullopt;
}

}  // namespace hone
