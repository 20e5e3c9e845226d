#include "tuner/search/strategy.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text/spelling.h"
#include "tuner/search/strategies/strategies.h"

namespace hone {

int64_t KnobsApart(const Proposal& a, const Proposal& b) {
  if (a.schedule != b.schedule) return 1000;
  int64_t differing = 0;
  for (const auto& [knob, value] : a.config.values()) differing += b.config.Find(knob) != value ? 1 : 0;
  return differing;
}

void Strategy::Transfer(const SearchTask&, const std::vector<Observation>&) {}

const std::vector<StrategyEntry>& AllStrategies() {
  static const std::vector<StrategyEntry> strategies = {
      {"evolutionary", "founders by estimate, then tournament selection, crossover and mutation", MakeEvolutionary},
      {"grid", "every valid config, best estimate first", MakeGrid},
      {"model", "the estimate, corrected by boosted trees that learn from every trial", MakeModelGuided},
      {"random", "the analytic default, then evenly drawn configs", MakeRandomSearch},
  };
  return strategies;
}

const StrategyEntry& FindStrategy(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : AllStrategies()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(ExitCode::kUsage,
              fmt::format("no strategy '{}'{}; there are: {}", name, DidYouMean(name, names), fmt::join(names, ", ")));
}

std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const SearchTask& task, uint64_t seed) {
  return FindStrategy(name).make(task, seed);
}

}  // namespace hone
