#include "tuner/finals/network_finals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "tuner/finals/network_variants.h"
#include "tuner/finals/variant_timer.h"
#include "tuner/finals_outcome.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

constexpr int64_t kLeastNs = 1'000'000'000;  // a shorter time is of no use to any model

using Choices = std::map<std::string, Proposal>;

struct Rival {
  Choices choices;
  Variant variant;
};

class Finals {
 public:
  Finals(const relay::IRModule& module, const TuneOptions& options, Runner& runner, RecordStore& store,
         CompiledKernels& kernels, int64_t deadline_ns, const std::atomic<bool>* stop)
      : options_(options),
        runner_(runner),
        store_(store),
        tools_(RealTuneTools()),
        timer_(module, options, runner, tools_, kernels, stop) {
    timer_.SetDeadline(deadline_ns);
  }

  NetworkFinals Hold() {
    const int64_t begin_ns = tools_.now_ns();
    const std::string session = MakeTuningRun(options_).id;
    try {
      finalists_ = FindFinalists(store_, session, FingerprintOf(runner_.Describe()), NetworkFinals::kFinalists);
      for (const auto& [workload, found] : finalists_) result_.tasks += found.proposals.size() > 1;
      result_.why_not = result_.tasks == 0 ? "no task has two finalists" : Compare();
    } catch (const Error& error) {
      result_.why_not = error.what();
    }
    result_.held = result_.why_not.empty();
    result_.elapsed_ns = tools_.now_ns() - begin_ns;
    return result_;
  }

 private:
  Choices ChoicesOf(size_t place) const {
    Choices choices;
    for (const auto& [workload, found] : finalists_) {
      choices.emplace(workload, found.proposals[std::min(place, found.proposals.size() - 1)]);
    }
    return choices;
  }

  Rival BuildRival(Choices choices) {
    ProposalSource source(choices);
    return {std::move(choices), timer_.BuildWith(source)};
  }

  // Returns the reason why the finals were not held, or empty.
  std::string Compare() {
    const char* const late = "the budget left no time to build the model";
    if (!timer_.Reaches(kLeastNs)) return late;
    rivals_.push_back(BuildRival(ChoicesOf(0)));
    const int64_t build_ns = timer_.build_ns(), cost_ns = timer_.CostNs(rivals_[0].variant);
    // The time for `count` variants, of which one is built, and for the model with and without its replacements. These
    // have kernels of the variants.
    const auto reaches = [&](size_t count) {
      const auto variants = static_cast<int64_t>(count);
      return timer_.Reaches((variants - 1) * build_ns + timer_.rebuild_ns() + (variants + 2) * rounds_ * cost_ns);
    };
    size_t most = 1;
    for (const auto& [workload, found] : finalists_) most = std::max(most, found.proposals.size());
    while (most > 2 && !reaches(most)) --most;
    while (rounds_ > VariantTimer::kLeastRounds && !reaches(most)) --rounds_;
    if (!reaches(most)) return late;
    for (size_t place = 1; place < most; ++place) rivals_.push_back(BuildRival(ChoicesOf(place)));
    std::vector<Variant*> all;
    for (Rival& rival : rivals_) all.push_back(&rival.variant);
    if (!timer_.Time(all, rounds_)) return "interrupted";
    return Decide() ? "" : "interrupted";
  }

  size_t WinnerOf(const std::string& workload) const {
    const size_t rivals = std::min(finalists_.at(workload).proposals.size(), rivals_.size());
    std::vector<std::vector<int64_t>> ns;
    for (size_t k = 0; k < rivals; ++k) {
      const auto seen = rivals_[k].variant.workload_ns.find(workload);
      if (seen == rivals_[k].variant.workload_ns.end()) return 0;
      ns.push_back(seen->second);
    }
    return RankFinalists(ns, 0).winner;
  }

  bool Decide() {
    std::map<std::string, size_t> winners;
    Choices choices = rivals_[0].choices;
    for (const auto& [workload, found] : finalists_) {
      const size_t winner = WinnerOf(workload);
      winners[workload] = winner;
      choices[workload] = found.proposals[winner];
      result_.replaced += winner != 0;
    }
    result_.before = result_.after = MedianOf(rivals_[0].variant.total_ns);
    if (result_.replaced > 0 && !Confirm(std::move(choices), winners)) return false;
    Keep(winners);
    return true;
  }

  // Winners found one by one must also win together. Returns false when interrupted.
  bool Confirm(Choices choices, std::map<std::string, size_t>& winners) {
    Variant old_one = rivals_[0].variant, new_one = BuildRival(std::move(choices)).variant;
    old_one.total_ns.clear();
    if (!timer_.Time({&old_one, &new_one}, rounds_)) return false;
    const FinalsVerdict verdict = RankFinalists({old_one.total_ns, new_one.total_ns}, 0);
    result_.before = verdict.standings[0].ns;
    result_.after = verdict.standings[1].ns;
    result_.p = verdict.standings[1].p;
    // In contrast to a kernel, half a percent of a model's time is worth having.
    if (result_.p < 0.05 && result_.after.median < result_.before.median) return true;
    result_.after = result_.before;
    result_.replaced = 0;
    for (auto& [workload, winner] : winners) winner = 0;
    return true;
  }

  void Keep(const std::map<std::string, size_t>& winners) {
    std::vector<Record> records;
    for (const auto& [workload, found] : finalists_) {
      const size_t rivals = std::min(found.proposals.size(), rivals_.size());
      // The model runs at its largest length. It has no times of layers of other lengths.
      if (rivals < 2 || !rivals_[0].variant.workload_ns.contains(workload)) continue;
      const Proposal& winner = found.proposals[winners.at(workload)];
      for (Record record : found.records) {
        const Proposal proposal{record.candidate.schedule, record.candidate.config};
        const auto k = static_cast<size_t>(
            std::find(found.proposals.begin(), found.proposals.begin() + static_cast<int64_t>(rivals), proposal) -
            found.proposals.begin());
        if (k >= rivals) continue;
        const auto& ns = rivals_[k].variant.workload_ns.at(workload);
        record.finals.held += 1;
        record.finals.incumbent = k == 0;
        record.finals.network_ns = *std::min_element(ns.begin(), ns.end());
        record.finals.place = proposal == winner ? 1 : 2 + static_cast<int>(k);
        record.unix_ms = tools_.unix_ms();
        records.push_back(Finish(std::move(record)));
      }
    }
    store_.Append(records);
  }

  const TuneOptions& options_;
  Runner& runner_;
  RecordStore& store_;
  const TuneTools tools_;
  VariantTimer timer_;
  AllFinalists finalists_;
  std::vector<Rival> rivals_;  // by place of their finalists
  int rounds_ = VariantTimer::kRounds;
  NetworkFinals result_;
};

}  // namespace

NetworkFinals HoldNetworkFinals(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                                RecordStore& store, CompiledKernels& kernels, int64_t deadline_ns,
                                const std::atomic<bool>* stop) {
  return Finals(module, options, runner, store, kernels, deadline_ns, stop).Hold();
}

}  // namespace hone
