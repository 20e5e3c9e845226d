#include "tuner/elsewhere/foreign_seeds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace hone {
namespace {

constexpr int64_t kMostForeignTrials = 4096;
constexpr const char* kColumns[] = {"oc_block", "tile_oc"};

// The text under which foreign trials of the workload are stored: without epilogue and prologue, and with matrices as
// batch x rows x reduction.
std::string ForeignText(Workload workload) {
  workload.epilogue = EpilogueClass::kNone;
  workload.prologue = Prologue::kNone;
  if (workload.is_batch_matmul()) {
    const int64_t weights = workload.weight[workload.OperandAxes(1).find('B')];
    workload.data = {workload.Extent('B'), workload.Extent('M'), workload.Extent('K')};
    workload.weight = {weights, workload.Extent('N'), workload.Extent('K')};
    workload.layouts = "BMK,BNK,BMN";
  }
  return workload.ToText();
}

// A template is written for one architecture, which is the end of its name.
bool SameArchitecture(std::string_view task, std::string_view triple) {
  const auto begins = [&](std::string_view name) { return triple.starts_with(name); };
  if (task.ends_with(".x86")) return begins("x86_64") || begins("amd64") || begins("i686");
  return task.ends_with(".arm_cpu") && (begins("aarch64") || begins("arm"));
}

double Log2(int64_t value) { return std::log2(static_cast<double>(std::max<int64_t>(value, 1))); }

double Columns(const Config& config) {
  double columns = 0;
  for (const char* knob : kColumns) columns += Log2(config.Get(knob, 1));
  return columns;
}

// Orders the fastest trial of each target first, then the second of each, and so on.
std::vector<ForeignTrial> InTurn(std::vector<ForeignTrial> trials) {
  std::map<std::string, int64_t> seen;
  std::vector<std::pair<int64_t, ForeignTrial>> placed;
  for (ForeignTrial& trial : trials) {
    const int64_t place = seen[trial.target]++;
    placed.emplace_back(place, std::move(trial));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ForeignTrial> in_turn;
  for (auto& [place, trial] : placed) in_turn.push_back(std::move(trial));
  return in_turn;
}

// Among equally near proposals the one with the best estimate; null when the space has none of the schedule.
const Proposal* Nearest(const SearchSpace& space, const ForeignTrial& trial) {
  const Proposal* nearest = nullptr;
  double least = 0;
  for (const SearchSpace::Ranked& ranked : space.ranked()) {
    if (ranked.proposal.schedule != trial.schedule) continue;
    const double distance = ForeignDistance(ranked.proposal.config, trial.config);
    if (nearest != nullptr && distance >= least) continue;
    nearest = &ranked.proposal;
    least = distance;
  }
  return nearest;
}

}  // namespace

double ForeignDistance(const Config& config, const Config& foreign) {
  double distance = std::abs(Columns(config) - Columns(foreign));
  for (const auto& [knob, value] : foreign.values()) {
    if (std::find(std::begin(kColumns), std::end(kColumns), knob) != std::end(kColumns)) continue;
    distance += std::abs(Log2(config.Get(knob, 1)) - Log2(value));
  }
  return distance;
}

std::vector<Proposal> ForeignSeeds(const RecordStore& store, const Workload& workload, const SearchSpace& space,
                                   const Target& target, size_t most) {
  std::vector<ForeignTrial> trials = store.FindForeign(ForeignText(workload), kMostForeignTrials);
  std::erase_if(trials, [&](const ForeignTrial& trial) {
    return trial.fate != Fate::kOk || !SameArchitecture(trial.task, target.triple);
  });
  std::vector<Proposal> seeds;
  std::set<std::string> keys;
  for (const ForeignTrial& trial : InTurn(std::move(trials))) {
    if (seeds.size() == most) break;
    const Proposal* nearest = Nearest(space, trial);
    if (nearest != nullptr && keys.insert(space.Key(*nearest)).second) seeds.push_back(*nearest);
  }
  return seeds;
}

}  // namespace hone
