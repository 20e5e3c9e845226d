#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "tuner/search/boosted_trees.h"
#include "tuner/search/features.h"
#include "tuner/search/search_space.h"
#include "tuner/search/strategies/founders.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {
namespace {

constexpr double kRandomShare = 0.10;  // of proposals made without the model
constexpr size_t kCrowd = 4;           // proposals of a batch that may differ from an earlier one in only one knob
constexpr int kBred = 256;             // children of the best, for spaces too large to list
constexpr size_t kParents = 16;
constexpr double kFailed = 1.0;  // log of the slowdown over its estimate that a failure is assumed to have

// Observations of one task: features, and the log of time over estimate. Within a task only differences count, so
// tasks are centred before they are learnt from together.
struct TaskResiduals {
  std::vector<Features> rows;
  std::vector<float> residuals;

  float Median() const {
    std::vector<float> sorted = residuals;
    const auto middle = sorted.begin() + static_cast<int64_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
};

// The estimate, corrected by boosted trees that learn its error from every trial. Proposes the best of the space by
// that, spread out, with some at random (after Chen et al., "Learning to Optimize Tensor Programs", 2018).
class ModelGuided : public Strategy {
 public:
  ModelGuided(const SearchTask& task, uint64_t seed)
      : task_(task), space_(SpaceOf(task)), proposed_(*space_), random_(seed), founders_(*space_) {
    for (const SearchSpace::Ranked& ranked : space_->ranked()) AddToPool(ranked);
  }

  std::vector<Proposal> Propose(int n) override {
    std::vector<Proposal> chosen;
    const auto wanted = static_cast<size_t>(std::max(0, n));
    if (wanted > 0 && !space_->ranked().empty()) Take(space_->ranked().front().proposal, chosen);
    Learn();
    if (!founders_.done()) AddFounders(wanted, chosen);
    if (chosen.size() < wanted) AddByModel(wanted, chosen);
    return chosen;
  }

  void Observe(const Observation& observation) override {
    if (MarkTaken(observation.proposal)) founders_.Add(observation.proposal);
    const Schedule* schedule = space_->Find(observation.proposal.schedule);
    if (schedule == nullptr) return;
    const double estimate = std::max(1.0, space_->EstimateNs(observation.proposal));
    std::vector<Features>& rows = observation.ok ? own_.rows : failed_;
    rows.push_back(FeaturesOf(*schedule, task_.workload, task_.machine, observation.proposal.config, estimate));
    ++unlearnt_;
    if (!observation.ok) return;
    own_.residuals.push_back(static_cast<float>(std::log(static_cast<double>(observation.min_ns) / estimate)));
    Remember(observation);
  }

  void Transfer(const SearchTask& other, const std::vector<Observation>& observations) override {
    TaskResiduals lesson;
    for (const Observation& observation : observations) {
      const Schedule* schedule = ScheduleOf(other, observation.proposal.schedule);
      if (!observation.ok || schedule == nullptr) continue;
      const Config& config = observation.proposal.config;
      const double estimate = std::max(1.0, schedule->EstimateNs(other.workload, other.machine, config));
      lesson.rows.push_back(FeaturesOf(*schedule, other.workload, other.machine, config, estimate));
      lesson.residuals.push_back(static_cast<float>(std::log(static_cast<double>(observation.min_ns) / estimate)));
    }
    if (lesson.rows.empty()) return;
    others_.push_back(std::move(lesson));
    trees_.reset();
  }

 private:
  struct Candidate {
    Proposal proposal;
    double log_estimate;
    bool taken;
  };

  static const Schedule* ScheduleOf(const SearchTask& task, const std::string& name) {
    for (const Schedule* schedule : task.schedules) {
      if (schedule->name() == name) return schedule;
    }
    return task.schedules.empty() ? FindSchedule(name) : nullptr;
  }

  void AddToPool(const SearchSpace::Ranked& ranked) {
    place_[space_->Key(ranked.proposal)] = pool_.size();
    pool_.push_back({ranked.proposal, std::log(std::max(1.0, ranked.estimate_ns)), false});
    const Schedule& schedule = *space_->Find(ranked.proposal.schedule);
    pool_rows_.push_back(
        FeaturesOf(schedule, task_.workload, task_.machine, ranked.proposal.config, ranked.estimate_ns));
  }

  void Remember(const Observation& observation) {
    const auto place = std::upper_bound(best_.begin(), best_.end(), observation,
                                        [](const auto& a, const auto& b) { return a.min_ns < b.min_ns; });
    best_.insert(place, observation);
    if (best_.size() > kParents) best_.pop_back();
  }

  // Returns false if it was taken already.
  bool MarkTaken(const Proposal& proposal) {
    if (const auto place = place_.find(space_->Key(proposal)); place != place_.end()) pool_[place->second].taken = true;
    return proposed_.Add(proposal);
  }

  bool Take(const Proposal& proposal, std::vector<Proposal>& chosen) {
    if (!MarkTaken(proposal)) return false;
    founders_.Add(proposal);
    chosen.push_back(proposal);
    return true;
  }

  void AddFounders(size_t wanted, std::vector<Proposal>& chosen) {
    for (const size_t next : Order()) {
      if (chosen.size() == wanted || founders_.done()) return;
      if (founders_.Wants(pool_[next].proposal)) Take(pool_[next].proposal, chosen);
    }
  }

  // Fits again only after enough new data, because a little does not change a large model much.
  void Learn() {
    if (trees_ != nullptr && unlearnt_ * 8 < std::max<size_t>(learnt_, 64)) return;
    std::vector<Features> rows;
    std::vector<float> targets;
    const auto add = [&](const TaskResiduals& lesson) {
      const float median = lesson.Median();
      rows.insert(rows.end(), lesson.rows.begin(), lesson.rows.end());
      for (const float residual : lesson.residuals) targets.push_back(residual - median);
    };
    for (const TaskResiduals& other : others_) add(other);
    if (!own_.rows.empty()) add(own_);
    rows.insert(rows.end(), failed_.begin(), failed_.end());
    targets.resize(rows.size(), static_cast<float>(kFailed));
    if (rows.empty()) return;
    trees_ = std::make_unique<BoostedTrees>(rows, targets);
    learnt_ = rows.size();
    unlearnt_ = 0;
    scores_ = trees_->Predict(pool_rows_);
  }

  // Breeds children of the best, because the listed configs of a space that was only drawn are far apart.
  void Breed() {
    if (space_->complete() || best_.empty()) return;
    const auto parent = [this]() -> const Proposal& { return best_[random_.Below(best_.size())].proposal; };
    for (int i = 0; i < kBred; ++i) {
      const Proposal& mother = parent();
      const Proposal& father = parent();
      const bool crosses = mother.schedule == father.schedule && random_.Below(2) == 0;
      Proposal child = space_->Mutate(crosses ? space_->Cross(mother, father, random_) : mother, random_);
      if (!space_->Valid(child) || proposed_.Contains(child) || place_.contains(space_->Key(child))) continue;
      const double estimate = space_->EstimateNs(child);
      AddToPool({std::move(child), estimate});
    }
    if (trees_ == nullptr) return;
    const std::vector<Features> fresh(pool_rows_.begin() + static_cast<int64_t>(scores_.size()), pool_rows_.end());
    const std::vector<float> scores = trees_->Predict(fresh);
    scores_.insert(scores_.end(), scores.begin(), scores.end());
  }

  std::vector<size_t> Order() const {
    std::vector<double> cost(pool_.size());
    for (size_t i = 0; i < pool_.size(); ++i) cost[i] = pool_[i].log_estimate + (trees_ == nullptr ? 0 : scores_[i]);
    std::vector<size_t> order;
    for (size_t i = 0; i < pool_.size(); ++i) {
      if (!pool_[i].taken) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return cost[a] < cost[b]; });
    return order;
  }

  void AddByModel(size_t wanted, std::vector<Proposal>& chosen) {
    Breed();
    const std::vector<size_t> order = Order();
    for (const size_t crowd : {kCrowd, wanted}) {
      for (size_t i = 0; i < order.size() && chosen.size() < wanted; ++i) {
        const bool asks_nobody = trees_ != nullptr && random_.Uniform() < kRandomShare;
        const Proposal& next = pool_[order[asks_nobody ? random_.Below(order.size()) : i]].proposal;
        if (!asks_nobody && Neighbours(next, chosen) >= crowd) continue;
        Take(next, chosen);
      }
    }
    AddStrangers(wanted, chosen);
  }

  static size_t Neighbours(const Proposal& proposal, const std::vector<Proposal>& chosen) {
    return static_cast<size_t>(std::count_if(chosen.begin(), chosen.end(),
                                             [&](const Proposal& other) { return KnobsApart(other, proposal) <= 1; }));
  }

  void AddStrangers(size_t wanted, std::vector<Proposal>& chosen) {
    for (int misses = 0; !space_->complete() && chosen.size() < wanted && misses < 256; ++misses) {
      if (const auto stranger = space_->Sample(random_)) Take(*stranger, chosen);
    }
  }

  SearchTask task_;
  std::shared_ptr<const SearchSpace> space_;
  Proposed proposed_;
  Random random_;
  std::vector<Candidate> pool_;  // all candidates that may be proposed, or all that were met
  std::vector<Features> pool_rows_;
  std::unordered_map<std::string, size_t> place_;  // index in the pool, by key
  Founders founders_;
  TaskResiduals own_;
  std::vector<TaskResiduals> others_;
  std::vector<Features> failed_;
  std::vector<Observation> best_;  // fastest first
  std::unique_ptr<BoostedTrees> trees_;
  std::vector<float> scores_;  // the trees' predictions for the pool
  size_t learnt_ = 0, unlearnt_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> MakeModelGuided(const SearchTask& task, uint64_t seed) {
  return std::make_unique<ModelGuided>(task, seed);
}

}  // namespace hone
