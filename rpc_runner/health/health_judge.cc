#include "rpc_runner/health/health_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone {

std::string_view HealthStateName(HealthState state) {
  constexpr std::string_view kNames[] = {"learning", "healthy", "doubted", "quarantined", "probation"};
  return kNames[static_cast<size_t>(state)];
}

HealthJudge::HealthJudge(const HealthRules& rules, std::vector<GoldenPart> parts, GoldenHistory history)
    : rules_(rules),
      parts_(std::move(parts)),
      history_(std::move(history)),
      state_(history_.enough() ? HealthState::kHealthy : HealthState::kLearning),
      streaks_(parts_.size()),
      slow_parts_(parts_.size()),
      probation_ns_(rules.probation_ns) {}

bool HealthJudge::IsSlow(size_t part, int64_t time) const {
  const double limit = std::max(history_.Limit(part), parts_[part].steady ? 1.0 : rules_.unsteady_limit);
  return history_.enough() && static_cast<double>(time) > limit * history_.Usual(part);
}

bool HealthJudge::IsSlow(const std::vector<int64_t>& times) const {
  for (size_t part = 0; part < parts_.size(); ++part) {
    if ((parts_[part].steady || slow_parts_[part]) && IsSlow(part, times[part])) return true;
  }
  return false;
}

void HealthJudge::UpdateStreaks(const GoldenRun& run) {
  for (size_t part = 0; part < parts_.size(); ++part) {
    Streak& streak = streaks_[part];
    if (!IsSlow(part, run.times[part])) {
      streak = {};
      continue;
    }
    if (streak.runs == 0) streak = {0, 0, run.at_ns, run.times[part]};
    ++streak.runs;
    streak.counted += run.steal <= rules_.most_steal;
    streak.least_ns = std::min(streak.least_ns, run.times[part]);
  }
}

bool HealthJudge::IsSure(size_t part, int64_t now_ns) const {
  const Streak& streak = streaks_[part];
  const int64_t lasted_ns = streak.runs == 0 ? 0 : now_ns - streak.begin_ns;
  const bool fast = parts_[part].steady && streak.counted >= rules_.fast_runs && lasted_ns >= rules_.fast_ns;
  return fast || (streak.runs >= rules_.patient_runs && lasted_ns >= rules_.patient_ns);
}

// Uses the least time of the streak, which no disturbance explains.
std::string HealthJudge::Why(size_t part) const {
  const double ratio = static_cast<double>(streaks_[part].least_ns) / history_.Usual(part);
  return fmt::format("golden kernel {:.1f} % slower than usual ({})", 100 * (ratio - 1), parts_[part].name);
}

void HealthJudge::AddRun(const GoldenRun& run) {
  UpdateStreaks(run);
  may_be_offered() ? JudgeOffered(run) : JudgeQuarantined(run);
}

void HealthJudge::JudgeOffered(const GoldenRun& run) {
  why_.clear();
  std::fill(slow_parts_.begin(), slow_parts_.end(), false);
  bool doubted = false, sure = false;
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (IsSure(part, run.at_ns)) {
      if (!sure) why_ = Why(part);
      slow_parts_[part] = sure = true;
    } else if (parts_[part].steady && streaks_[part].runs > 0) {
      if (why_.empty()) why_ = Why(part);
      doubted = true;
    }
  }
  if (sure) {
    Quarantine(run.at_ns);
    return;
  }
  doubtful_.push_back(run);
  if (doubted) {
    state_ = HealthState::kDoubted;
    return;
  }
  for (const GoldenRun& known : std::exchange(doubtful_, {})) history_.Add(known.times, known.at_ns);
  state_ = history_.enough() ? HealthState::kHealthy : HealthState::kLearning;
}

void HealthJudge::Quarantine(int64_t now_ns) {
  doubtful_.clear();
  state_ = HealthState::kQuarantined;
  const bool lasted = freed_ns_ == 0 || now_ns - freed_ns_ >= rules_.most_probation_ns;
  probation_ns_ = lasted ? rules_.probation_ns : std::min(2 * probation_ns_, rules_.most_probation_ns);
}

void HealthJudge::JudgeQuarantined(const GoldenRun& run) {
  if (for_good_) return;
  if (IsSlow(run.times)) {
    state_ = HealthState::kQuarantined;
    good_runs_ = 0;
    return;
  }
  if (good_runs_++ == 0) good_since_ns_ = run.at_ns;
  state_ = HealthState::kProbation;
  if (good_runs_ < rules_.probation_runs || run.at_ns - good_since_ns_ < probation_ns_) return;
  good_runs_ = 0;
  freed_ns_ = run.at_ns;
  state_ = HealthState::kHealthy;
  why_.clear();
  std::fill(slow_parts_.begin(), slow_parts_.end(), false);
}

void HealthJudge::QuarantineForGood(const std::string& why) {
  for_good_ = true;
  state_ = HealthState::kQuarantined;
  why_ = why;
}

double HealthJudge::Sensitivity() const {
  double limit = 1;
  for (size_t part = 0; history_.enough() && part < parts_.size(); ++part) {
    if (parts_[part].steady) limit = std::max(limit, history_.Limit(part));
  }
  return limit - 1;
}

int64_t HealthJudge::spacing_ns() const {
  if (state_ == HealthState::kLearning) return rules_.learning_ns;
  return state_ == HealthState::kDoubted ? rules_.doubt_ns : rules_.usual_ns;
}

}  // namespace hone
