#include <algorithm>
#include <optional>

#include "tuner/search/search_space.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {
namespace {

constexpr size_t kPopulation = 32;  // parents kept, the fastest
constexpr size_t kFounders = 12;    // configs chosen by estimate before evolution begins
constexpr int kTournament = 3;      // drawn from the population; the fastest becomes a parent
constexpr double kStrangerShare = 0.10;
constexpr double kEstimateShare = 0.25;  // of proposals that continue to follow the estimate
constexpr double kCrossShare = 0.5;
constexpr int kAttempts = 32;  // to breed a valid new child

// Evolves a population of the fastest by tournament selection, uniform crossover and one-step mutation. The analytic
// estimate chooses its founders (Eiben and Smith, "Introduction to Evolutionary Computing", 2015, chapters 3 to 5).
class Evolutionary : public Strategy {
 public:
  Evolutionary(const SearchTask& task, uint64_t seed) : space_(SpaceOf(task)), proposed_(*space_), random_(seed) {}

  std::vector<Proposal> Propose(int n) override {
    std::vector<Proposal> chosen;
    while (static_cast<int>(chosen.size()) < n) {
      auto next = Next();
      if (!next) break;
      proposed_.Add(*next);
      chosen.push_back(std::move(*next));
    }
    return chosen;
  }

  void Observe(const Observation& observation) override {
    proposed_.Add(observation.proposal);
    if (!observation.ok || space_->Find(observation.proposal.schedule) == nullptr) return;
    const auto place = std::upper_bound(population_.begin(), population_.end(), observation,
                                        [](const auto& a, const auto& b) { return a.min_ns < b.min_ns; });
    population_.insert(place, observation);
    if (population_.size() > kPopulation) population_.pop_back();
  }

 private:
  std::optional<Proposal> Next() {
    if (founders_.size() < kFounders) {
      if (auto founder = NextFounder()) return founder;
    }
    const double draw = random_.Uniform();
    if (draw < kStrangerShare) {
      if (auto stranger = NewStranger()) return stranger;
    } else if (draw >= kStrangerShare + kEstimateShare && !population_.empty()) {
      if (auto child = NewChild()) return child;
    }
    return NextByEstimate();
  }

  // The default first, then by estimate, each different from the founders before it. The required difference shrinks
  // when no candidate has it.
  std::optional<Proposal> NextFounder() {
    for (const int64_t least : {2, 1}) {
      for (const SearchSpace::Ranked& candidate : space_->ranked()) {
        if (proposed_.Contains(candidate.proposal)) continue;
        const bool unlike = std::all_of(founders_.begin(), founders_.end(), [&](const Proposal& founder) {
          return KnobsApart(founder, candidate.proposal) >= least;
        });
        if (!unlike) continue;
        founders_.push_back(candidate.proposal);
        return candidate.proposal;
      }
    }
    return std::nullopt;
  }

  std::optional<Proposal> NextByEstimate() {
    const auto& ranked = space_->ranked();
    while (next_ranked_ < ranked.size() && proposed_.Contains(ranked[next_ranked_].proposal)) ++next_ranked_;
    if (next_ranked_ < ranked.size()) return ranked[next_ranked_].proposal;
    return space_->complete() ? std::nullopt : NewStranger();
  }

  std::optional<Proposal> NewStranger() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      auto stranger = space_->Sample(random_);
      if (stranger && !proposed_.Contains(*stranger)) return stranger;
    }
    return std::nullopt;
  }

  const Proposal& Parent() {
    size_t best = population_.size();
    for (int i = 0; i < kTournament; ++i) best = std::min<size_t>(best, random_.Below(population_.size()));
    return population_[best].proposal;
  }

  // Takes more steps after failures, so that a crowded neighbourhood does not end the search.
  std::optional<Proposal> NewChild() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Proposal& mother = Parent();
      const Proposal& father = Parent();
      const bool crosses = mother.schedule == father.schedule && random_.Uniform() < kCrossShare;
      Proposal child = crosses ? space_->Cross(mother, father, random_) : mother;
      for (int step = 0; step <= attempt / 8; ++step) child = space_->Mutate(child, random_);
      if (space_->Valid(child) && !proposed_.Contains(child)) return child;
    }
    return std::nullopt;
  }

  std::shared_ptr<const SearchSpace> space_;
  Proposed proposed_;
  Random random_;
  std::vector<Proposal> founders_;
  std::vector<Observation> population_;  // fastest first
  size_t next_ranked_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> MakeEvolutionary(const SearchTask& task, uint64_t seed) {
  return std::make_unique<Evolutionary>(task, seed);
}

}  // namespace hone
