#include "bench/tuner/replay_strategies.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "bench/tuner/replay.h"
#include "tuner/search/search_space.h"

namespace hone::bench {
namespace {

constexpr size_t kTransferred = 64;  // records from each other task
const char* const kDraws = "draws";
const char* const kOtherLayers = "model+layers";
const char* const kOtherMachine = "model+machine";

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

std::vector<std::string> Columns() {
  std::vector<std::string> names{kDraws};
  for (const StrategyEntry& entry : AllStrategies()) names.emplace_back(entry.name);
  names.insert(names.end(), {kOtherLayers, kOtherMachine});
  return names;
}

struct Result {
  double trials = 0, loss = 0;
};

MachineModel MachineOf(const RecordedSpace& space) { return MachineModelFor(space.target); }

MachineModel PlainMachine(const RecordedSpace& space) {
  Target plain;
  plain.triple = space.target.triple;
  return MachineModelFor(plain);
}

class Replays {
 public:
  // `misled`: the searches assume the plainest machine of the architecture, as for a machine without a row in hone. The
  // estimate is then wrong.
  Replays(const std::vector<RecordedSpace>& spaces, int seeds, bool misled) : spaces_(spaces), seeds_(seeds) {
    for (const RecordedSpace& space : spaces) {
      tasks_.push_back(std::make_unique<RecordedTask>(space, misled ? PlainMachine(space) : MachineOf(space)));
    }
    for (size_t i = 0; i < tasks_.size(); ++i) {
      for (const std::string& name : Columns()) {
        if (name != kOtherMachine || OtherMachine(i) != tasks_.size()) results_[name][i] = OverSeeds(name, i);
      }
    }
  }

  void Print() const {
    fmt::print("trials to within 5 % of the best (and the loss after {} trials), median of {} seeds\n{:<32}{:>8}",
               kShortRun, seeds_, "space", "configs");
    for (const std::string& name : Columns()) fmt::print("{:>16}", name);
    fmt::print("\n");
    for (size_t i = 0; i < tasks_.size(); ++i) {
      fmt::print("{:<32}{:>8}", spaces_[i].name, spaces_[i].valid());
      for (const std::string& name : Columns()) fmt::print("{:>16}", Cell(name, i));
      fmt::print("\n");
    }
    fmt::print("\n");
  }

  // The trials on spaces of at least `configs` configs, one number per space.
  std::vector<double> Trials(const std::string& name, int64_t configs) const {
    std::vector<double> trials;
    for (const auto& [i, result] : results_.at(name)) {
      if (spaces_[i].valid() >= configs) trials.push_back(result.trials);
    }
    return trials;
  }
  bool Has(const std::string& name) const { return results_.contains(name); }

 private:
  std::string Cell(const std::string& name, size_t i) const {
    if (!Has(name) || !results_.at(name).contains(i)) return "-";
    const Result& result = results_.at(name).at(i);
    return fmt::format("{:.4g} ({:.1f} %)", result.trials, 100 * result.loss);
  }

  // The index of the same workload recorded for another target; size() if there is none.
  size_t OtherMachine(size_t task) const {
    for (size_t i = 0; i < spaces_.size(); ++i) {
      if (spaces_[i].workload == spaces_[task].workload && spaces_[i].target.cpu != spaces_[task].target.cpu) return i;
    }
    return spaces_.size();
  }

  void TellOtherLayers(Strategy& strategy, size_t task, uint64_t seed) const {
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (i == task || spaces_[i].target.cpu != spaces_[task].target.cpu) continue;
      strategy.Transfer(tasks_[i]->task, ShortSearch(*tasks_[i], kTransferred, seed));
    }
  }

  Result OverSeeds(const std::string& name, size_t task) const {
    std::vector<double> trials, losses;
    for (uint64_t seed = 0; seed < static_cast<uint64_t>(seeds_); ++seed) {
      const bool told = name == kOtherLayers || name == kOtherMachine;
      const auto strategy = MakeStrategy(told ? "model" : name == kDraws ? "random" : name, tasks_[task]->task, seed);
      if (name == kOtherLayers) TellOtherLayers(*strategy, task, seed);
      if (name == kOtherMachine) {
        const RecordedTask& other = *tasks_[OtherMachine(task)];
        strategy->Transfer(other.task, ShortSearch(other, kTransferred, seed));
      }
      const Replayed replayed = Replay(*strategy, *tasks_[task], name == kDraws ? 1 : 0);
      trials.push_back(replayed.trials_to_near);
      losses.push_back(replayed.loss);
    }
    return {Median(trials), Median(losses)};
  }

  const std::vector<RecordedSpace>& spaces_;
  int seeds_;
  std::vector<std::unique_ptr<RecordedTask>> tasks_;
  std::map<std::string, std::map<size_t, Result>> results_;  // by column, by space
};

}  // namespace

void ReplayStrategies(const std::vector<RecordedSpace>& spaces, int seeds, Verdicts& verdicts) {
  const Replays replays(spaces, seeds, false), misled(spaces, seeds, true);
  replays.Print();
  fmt::print("the same with the estimate of a plain machine: ");
  misled.Print();
  const auto large = [&](const std::string& name) { return Median(replays.Trials(name, kLargeSpace)); };
  verdicts.AtMost("model: trials on large spaces, against 1/5 of even draws'", large(kDraws) / 5, large("model"));
  const std::vector<double> model = replays.Trials("model", 0), evolved = replays.Trials("evolutionary", 0);
  double behind = 0;
  for (size_t i = 0; i < model.size(); ++i) behind = std::max(behind, model[i] / evolved[i]);
  verdicts.AtMost("model: trials over evolutionary's, on its worst space", 1, behind);
  verdicts.AtMost("model, estimate misled: trials on large spaces, against 1/5 of draws'",
                  Median(misled.Trials(kDraws, kLargeSpace)) / 5, Median(misled.Trials("model", kLargeSpace)));
  verdicts.AtMost("model, other layers known: trials", 10, Median(replays.Trials(kOtherLayers, 0)));
  verdicts.AtMost("model, estimate misled, other layers known: trials", 10, Median(misled.Trials(kOtherLayers, 0)));
  if (replays.Has(kOtherMachine)) {
    verdicts.AtMost("model, another machine known: trials", 10, Median(replays.Trials(kOtherMachine, 0)));
  }
}

void TimeLearning(const std::vector<RecordedSpace>& spaces, Verdicts& verdicts) {
  const auto largest = std::max_element(spaces.begin(), spaces.end(),
                                        [](const auto& a, const auto& b) { return a.valid() < b.valid(); });
  const RecordedTask task(*largest);
  const auto strategy = MakeStrategy("model", task.task, 0);
  const auto begin = std::chrono::steady_clock::now();
  int trials = 0;
  while (trials < 1000) {
    const auto batch = strategy->Propose(kReplayBatch);
    if (batch.empty()) break;
    for (const Proposal& proposal : batch) strategy->Observe(task.Measure(proposal));
    trials += static_cast<int>(batch.size());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  verdicts.AtMost("model: seconds of learning in 1000 trials", 5, took.count() * 1000 / std::max(1, trials));
}

}  // namespace hone::bench
