#include "tuner/search_space.h"
#include "tuner/strategies/proposed.h"
#include "tuner/strategies/strategies.h"

namespace hone {
namespace {

// Every valid config in the order of its estimate, so that stopping early leaves out what looks worst. The seed changes
// nothing. Of a space too large to list, those that were drawn.
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
