#include <algorithm>

#include "tuner/search/search_space.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {
namespace {

// Proposes the analytic default, then every other valid config, the one with the worst estimate first.
class Backwards : public Strategy {
 public:
  explicit Backwards(const SearchTask& task)
      : space_(SpaceOf(task)), proposed_(*space_), left_(space_->ranked().size()) {}

  std::vector<Proposal> Propose(int n) override {
    std::vector<Proposal> chosen;
    while (static_cast<int>(chosen.size()) < n && left_ > 0) {
      const Proposal& candidate = space_->ranked()[first_ ? 0 : --left_].proposal;
      first_ = false;
      if (proposed_.Add(candidate)) chosen.push_back(candidate);
    }
    return chosen;
  }

  void Observe(const Observation& observation) override { proposed_.Add(observation.proposal); }

 private:
  std::shared_ptr<const SearchSpace> space_;
  Proposed proposed_;
  size_t left_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Strategy> MakeBackwards(const SearchTask& task, uint64_t) { return std::make_unique<Backwards>(task); }

}  // namespace hone
