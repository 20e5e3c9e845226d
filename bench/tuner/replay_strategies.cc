#include "bench/tuner/replay_strategies.h"

#include <algorithm>
#include <map>
#include <memory>

#include "bench/tuner/recorded_schedule.h"
#include "tuner/search_space.h"

namespace hone::bench {
namespace {

constexpr int kBatch = 16;  // as the tuning loop's
constexpr double kNear = 1.05;
constexpr size_t kTransferred = 64;  // records of each other task
const char* const kWithTransfer = "model, warm";

using Tasks = std::vector<std::unique_ptr<RecordedTask>>;

// The other tasks' records as a tuning run would leave them: those an evolutionary search meets first.
void Warm(Strategy& strategy, const Tasks& tasks, size_t skipped, uint64_t seed) {
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (i == skipped) continue;
    std::vector<Observation> known;
    auto search = MakeStrategy("evolutionary", tasks[i]->task, seed);
    while (known.size() < kTransferred) {
      const auto proposals = search->Propose(kBatch);
      if (proposals.empty()) break;
      for (const Proposal& proposal : proposals) {
        known.push_back(tasks[i]->Measure(proposal));
        search->Observe(known.back());
      }
    }
    strategy.Transfer(tasks[i]->task, known);
  }
}

double TrialsToNear(Strategy& strategy, const RecordedTask& task) {
  double trials = 0;
  for (;;) {
    const std::vector<Proposal> batch = strategy.Propose(kBatch);
    if (batch.empty()) return trials;
    for (const Proposal& proposal : batch) {
      const Observation seen = task.Measure(proposal);
      ++trials;
      strategy.Observe(seen);
      if (seen.ok && static_cast<double>(seen.min_ns) <= kNear * static_cast<double>(task.best_ns)) return trials;
    }
  }
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : AllStrategies()) names.emplace_back(entry.name);
  names.emplace_back(kWithTransfer);
  return names;
}

double Trials(const std::string& name, const Tasks& tasks, size_t task, uint64_t seed) {
  const bool warm = name == kWithTransfer;
  auto strategy = MakeStrategy(warm ? "model" : name, tasks[task]->task, seed);
  if (warm) Warm(*strategy, tasks, task, seed);
  return TrialsToNear(*strategy, *tasks[task]);
}

}  // namespace

void ReplayStrategies(const std::vector<RecordedSpace>& spaces, int seeds, Verdicts& verdicts) {
  Tasks tasks;
  for (const RecordedSpace& space : spaces) tasks.push_back(std::make_unique<RecordedTask>(space));
  std::map<std::string, std::vector<double>> all;
  fmt::print("trials to within 5 % of the best, median of {} seeds\n{:<28}{:>8}", seeds, "space", "configs");
  for (const std::string& name : Names()) fmt::print("{:>14}", name);
  fmt::print("\n");
  for (size_t i = 0; i < tasks.size(); ++i) {
    fmt::print("{:<28}{:>8}", spaces[i].name, spaces[i].configs.size());
    for (const std::string& name : Names()) {
      std::vector<double> trials;
      for (int seed = 0; seed < seeds; ++seed) trials.push_back(Trials(name, tasks, i, static_cast<uint64_t>(seed)));
      all[name].push_back(Median(trials));
      fmt::print("{:>14}", all[name].back());
    }
    fmt::print("\n");
  }
  fmt::print("\n");
  const auto over_tasks = [&](const std::string& name) { return Median(all[name]); };
  verdicts.AtMost("model: trials, median over tasks, against 1/5 of random's", over_tasks("random") / 5,
                  over_tasks("model"));
  verdicts.AtMost("model: trials, median over tasks, against evolutionary's", over_tasks("evolutionary"),
                  over_tasks("model"));
  verdicts.AtMost("model with records of other tasks: trials, median over tasks", 10, over_tasks(kWithTransfer));
}

}  // namespace hone::bench
