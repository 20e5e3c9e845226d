#include "tuner/tuning_task.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

constexpr double kGain = 0.01;

// Larger spaces get more patience, within limits.
int64_t PlateauWindow(const SearchSpace& space) {
  return std::clamp<int64_t>(static_cast<int64_t>(space.ranked().size()) / 16, 32, 128);
}

int64_t Least(const Finalist& finalist) {
  return *std::min_element(finalist.least_ns.begin(), finalist.least_ns.end());
}

SearchTask WithSpace(SearchTask search, std::shared_ptr<const SearchSpace> space) {
  search.space = std::move(space);
  return search;
}

}  // namespace

TuningTask::TuningTask(const Task& task, const SearchTask& search, const std::string& strategy, uint64_t seed,
                       std::optional<int64_t> early_stopping)
    : text_(task.workload.ToText()),
      search_(search),
      space_(SpaceOf(search)),
      strategy_(MakeStrategy(strategy, WithSpace(search, space_), seed)),
      plateau_window_(early_stopping.value_or(PlateauWindow(*space_))),
      share_(task.share) {
  report_.workload = task.workload;
  report_.uses = task.uses;
  report_.nodes = task.nodes;
  if (space_->ranked().empty()) return;
  const Proposal& analytic = space_->ranked().front().proposal;
  default_key_ = analytic_key_ = space_->Key(analytic);
  report_.default_schedule = report_.analytic_schedule = analytic.schedule;
  report_.default_config = report_.analytic_config = analytic.config.ToText();
}

void TuningTask::SetBefore(const std::optional<ConfigChoice>& choice) {
  if (!choice || !space_->Valid({choice->schedule, choice->config})) return;
  const Proposal proposal{choice->schedule, choice->config};
  finals.incumbent = proposal;
  default_key_ = space_->Key(proposal);
  report_.default_schedule = choice->schedule;
  report_.default_config = choice->config.ToText();
  report_.default_source = choice->source;
  if (default_key_ != analytic_key_) before_ = proposal;
}

bool TuningTask::TakeUpBefore() {
  if (!before_ || met_.contains(default_key_)) return false;
  next_ = before_;
  return true;
}

std::vector<Proposal> TuningTask::Propose(int n) {
  std::vector<Proposal> chosen;
  const auto take = [&](const Proposal& proposal) {
    const bool fresh = met_.insert(space_->Key(proposal)).second;
    if (fresh) chosen.push_back(proposal);
    return fresh;
  };
  const auto wanted = static_cast<size_t>(std::max(0, n));
  if (next_ && wanted > 0) take(*std::exchange(next_, std::nullopt));
  for (; chosen.size() < wanted && !seeds_.empty(); seeds_.pop_front()) report_.seeded += take(seeds_.front()) ? 1 : 0;
  while (chosen.size() < wanted) {
    const std::vector<Proposal> proposals = strategy_->Propose(static_cast<int>(wanted - chosen.size()));
    if (proposals.empty()) break;
    for (const Proposal& proposal : proposals) take(proposal);
  }
  return chosen;
}

void TuningTask::Learn(const Proposal& proposal, const Measurement& measurement) {
  const bool ok = measurement.fate == Fate::kOk && measurement.MinNs() > 0;
  const int64_t min_ns = ok ? measurement.MinNs() : 0;
  begun_ = true;
  met_.insert(space_->Key(proposal));
  strategy_->Observe({proposal, ok, min_ns});
  if (!ok) return;
  observations_.push_back({proposal, true, min_ns});
  const std::string key = space_->Key(proposal);
  const auto note = [&](const std::string& of, int64_t& least_ns) {
    if (key == of && (least_ns == 0 || min_ns < least_ns)) least_ns = min_ns;
  };
  // A build never takes a noisy record, so a noisy time must not raise the bar for others. A default that was timed
  // under load would promise a gain that is none.
  if (measurement.noisy) return;
  note(default_key_, report_.default_ns);
  note(analytic_key_, report_.analytic_ns);
  if (report_.best_ns > 0 && min_ns >= report_.best_ns) return;
  report_.best_ns = min_ns;
  report_.best_schedule = proposal.schedule;
  report_.best_config = proposal.config.ToText();
  report_.failure = {};
}

bool TuningTask::Doubts(const Proposal& proposal, const Measurement& measurement) const {
  const bool lacks_default = report_.default_ns == 0 && space_->Key(proposal) == default_key_;
  return measurement.noisy && (lacks_default || report_.best_ns == 0 || measurement.MinNs() < report_.best_ns);
}

void TuningTask::Observe(const Proposal& proposal, const Measurement& measurement) {
  const int64_t before_ns = report_.best_ns;
  Learn(proposal, measurement);
  ++report_.trials;
  if (measurement.wall_ns > 0) {
    ++measured_;
    wall_ns_ += measurement.wall_ns;
  }
  if (measurement.fate != Fate::kOk) {
    ++report_.failed;
    failures_.Add(measurement.fate, measurement.message);
  }
  report_.failure = report_.measured() ? FailureReport() : failures_.Commonest();
  gain_.Observe(before_ns, report_.best_ns);
  ++since_gain_;
  const bool gained =
      report_.best_ns > 0 &&
      (gain_from_ns_ == 0 || static_cast<double>(report_.best_ns) < (1 - kGain) * static_cast<double>(gain_from_ns_));
  if (!gained) return;
  gain_from_ns_ = report_.best_ns;
  since_gain_ = 0;
}

void TuningTask::Settle(const FinalsOutcome& outcome) {
  const auto& standings = outcome.verdict.standings;
  const Finalist& winner = outcome.winner();
  report_.best_ns = Least(winner);
  report_.best_schedule = winner.proposal.schedule;
  report_.best_config = winner.proposal.config.ToText();
  for (const Finalist& finalist : outcome.finalists) {
    const std::string key = space_->Key(finalist.proposal);
    if (key == default_key_) report_.default_ns = Least(finalist);
    if (key == analytic_key_) report_.analytic_ns = Least(finalist);
  }
  FinalsReport& report = report_.finals;
  report.held = finals.held;
  report.finalists = static_cast<int>(standings.size());
  report.replaced = outcome.verdict.winner != outcome.incumbent;
  report.best = standings[outcome.verdict.winner].ns;
  report.incumbent = standings[outcome.incumbent].ns;
  const int told = report.replaced ? 1 : 2;  // place
  for (const Standing& standing : standings) {
    if (standing.place != told) continue;
    report.gain = standing.gain;
    report.p = standing.p;
  }
}

TaskProgress TuningTask::Progress() const {
  const double estimate_ns = space_->ranked().empty() ? 0 : space_->ranked().front().estimate_ns;
  return {report_.uses * share_, report_.best_ns, estimate_ns, gain_.per_trial(), report_.trials, stopped()};
}

}  // namespace hone
