#include "tuner/search/strategies/founders.h"

namespace hone {
namespace {

std::string Name(const Proposal& proposal, const std::string& knob) { return proposal.schedule + " " + knob; }

}  // namespace

Founders::Founders(const SearchSpace& space) {
  for (const SearchSpace::Ranked& ranked : space.ranked()) {
    for (const auto& [knob, value] : ranked.proposal.config.values()) {
      unseen_[Name(ranked.proposal, knob)].insert(value);
    }
  }
  std::erase_if(unseen_, [](const auto& knob) { return knob.second.size() > kFewValues; });
}

bool Founders::Wants(const Proposal& proposal) const {
  if (done()) return false;
  if (count_ < kFirst) return true;
  for (const auto& [knob, value] : proposal.config.values()) {
    const auto unseen = unseen_.find(Name(proposal, knob));
    if (unseen != unseen_.end() && unseen->second.contains(value)) return true;
  }
  return false;
}

void Founders::Add(const Proposal& proposal) {
  ++count_;
  for (const auto& [knob, value] : proposal.config.values()) {
    const auto unseen = unseen_.find(Name(proposal, knob));
    if (unseen == unseen_.end()) continue;
    unseen->second.erase(value);
    if (unseen->second.empty()) unseen_.erase(unseen);
  }
}

}  // namespace hone
