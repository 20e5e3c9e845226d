#include "tuner/search/search_space.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {
namespace {

// Every valid config in the order of its estimate, so that an early stop leaves out the least promising ones. The seed
// has no effect. A space too large to list is represented by the drawn configs.
class Grid : public Strategy {
 public:
  explicit Grid(const SearchTask& task) : space_(SpaceOf(task)), proposed_(*space_) {}

  std::vector<Proposal> Propose(int n) override {
    std::vector<Proposal> chosen;
    while (static_cast<int>(chosen.size()) < n && next_ < space_->ranked().size()) {
      const Proposal& candidate = space_->ranked()[next_++].proposal;
      if (proposed_.Add(candidate)) chosen.push_back(candidate);
    }
    return chosen;
  }

  void Observe(const Observation& observation) override { proposed_.Add(observation.proposal); }

 private:
  std::shared_ptr<const SearchSpace> space_;
  Proposed proposed_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> MakeGrid(const SearchTask& task, uint64_t) { return std::make_unique<Grid>(task); }

}  // namespace hone
