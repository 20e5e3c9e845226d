#include "tuner/record_config_source.h"

#include <array>
#include <set>

#include "compiler/schedules/schedule.h"
#include "db/setup.h"

namespace hone {
namespace {

// By RecordStore::Ranked::rank.
constexpr std::array<const char*, 4> kSources = {"record", "other threads", "same microarchitecture", "near"};

// More than a build needs: those at the front may be of an older schedule.
constexpr int64_t kLooked = 64;
// Those behind are so much slower that their layouts are no loss.
constexpr int64_t kLookedForEach = 512;

// Of today's version of its schedule, and of a rank that there is.
bool IsToday(const RecordStore::Ranked& ranked) {
  const Schedule* schedule = FindSchedule(ranked.record.candidate.schedule);
  return schedule != nullptr && schedule->version() == ranked.record.schedule_version && ranked.rank >= 0 &&
         ranked.rank < static_cast<int>(kSources.size());
}

ConfigChoice AsChoice(const RecordStore::Ranked& ranked) {
  const Record& record = ranked.record;
  return {record.candidate.schedule, record.candidate.config, kSources[static_cast<size_t>(ranked.rank)], record.id,
          record.measurement.MinNs()};
}

// Whether the times of both say which is faster.
bool Comparable(const RecordStore::Ranked& a, const RecordStore::Ranked& b) {
  const Setup of_a = SetupOf(a.record), of_b = SetupOf(b.record);
  return a.rank == b.rank && of_a.machine == of_b.machine && of_a.threads == of_b.threads &&
         SameCode(of_a.target, of_b.target);
}

}  // namespace

std::optional<ConfigChoice> RecordConfigSource::Choose(
    const Workload& workload, const Target& target, int threads,
    const std::function<bool(const std::string& schedule, const Config& config)>& valid) {
  for (const RecordStore::Ranked& ranked : store_.Best(workload.ToText(), target, machine_, threads, kLooked)) {
    const Candidate& candidate = ranked.record.candidate;
    if (IsToday(ranked) && valid(candidate.schedule, candidate.config)) return AsChoice(ranked);
  }
  return std::nullopt;
}

std::vector<ConfigChoice> RecordConfigSource::ChooseEach(const Workload& workload, const Target& target, int threads,
                                                         const ConfigClass& class_of) {
  std::vector<ConfigChoice> choices;
  std::set<std::string> seen;
  std::optional<RecordStore::Ranked> best;
  for (const RecordStore::Ranked& ranked : store_.Best(workload.ToText(), target, machine_, threads, kLookedForEach)) {
    if (best && !Comparable(*best, ranked)) continue;
    if (!IsToday(ranked)) continue;
    const auto name = class_of(ranked.record.candidate.schedule, ranked.record.candidate.config);
    if (!name || !seen.insert(*name).second) continue;
    choices.push_back(AsChoice(ranked));
    if (!best) best = ranked;
  }
  return choices;
}

}  // namespace hone
