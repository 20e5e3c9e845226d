#include <utility>

#include "tuner/search/search_space.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {
namespace {

// The analytic default, then evenly drawn configs: a shuffle of the whole space if it is listed, else draws.
class RandomSearch : public Strategy {
 public:
  RandomSearch(const SearchTask& task, uint64_t seed) : space_(SpaceOf(task)), proposed_(*space_), random_(seed) {
    order_ = space_->ranked();
    for (size_t i = order_.size(); i > 2; --i) std::swap(order_[i - 1], order_[1 + random_.Below(i - 1)]);
  }

  std::vector<Proposal> Propose(int n) override {
    std::vector<Proposal> chosen;
    while (static_cast<int>(chosen.size()) < n && next_ < order_.size()) {
      const Proposal& candidate = order_[next_++].proposal;
      if (proposed_.Add(candidate)) chosen.push_back(candidate);
    }
    for (int misses = 0; !space_->complete() && static_cast<int>(chosen.size()) < n && misses < 256; ++misses) {
      const auto candidate = space_->Sample(random_);
      if (candidate && proposed_.Add(*candidate)) chosen.push_back(*candidate);
    }
    return chosen;
  }

  void Observe(const Observation& observation) override { proposed_.Add(observation.proposal); }

 private:
  std::shared_ptr<const SearchSpace> space_;
  Proposed proposed_;
  Random random_;
  std::vector<SearchSpace::Ranked> order_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> MakeRandomSearch(const SearchTask& task, uint64_t seed) {
  return std::make_unique<RandomSearch>(task, seed);
}

}  // namespace hone
