#include "tuner/finals/network_finals.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/build.h"
#include "core/error.h"
#include "core/random.h"
#include "rpc_runner/executor/package_job.h"
#include "runtime/load/package_parts.h"
#include "tuner/finals/network_variants.h"
#include "tuner/finals_outcome.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

constexpr int64_t kLeastNs = 1'000'000'000;  // a shorter time is of no use to any model

using Choices = std::map<std::string, Proposal>;

// One variant of the model and its times, by round.
struct Variant {
  Choices choices;
  PackageJob job;
  std::vector<int64_t> total_ns;
  std::map<std::string, std::vector<int64_t>> workload_ns;
};

class Finals {
 public:
  Finals(const relay::IRModule& module, const TuneOptions& options, Runner& runner, RecordStore& store,
         int64_t deadline_ns, const std::atomic<bool>* stop)
      : module_(module),
        options_(options),
        runner_(runner),
        store_(store),
        tools_(RealTuneTools()),
        deadline_ns_(deadline_ns),
        stop_(stop),
        random_(options.seed) {}

  NetworkFinals Hold() {
    const int64_t begin_ns = tools_.now_ns();
    const std::string session = MakeTuningRun(options_).id;
    try {
      finalists_ = FindFinalists(store_, session, FingerprintOf(runner_.Describe()), NetworkFinals::kFinalists);
      for (const auto& [workload, found] : finalists_) result_.tasks += found.proposals.size() > 1;
      result_.why_not = result_.tasks == 0 ? "no task has two finalists that come near each other" : Compare();
    } catch (const Error& error) {
      result_.why_not = error.what();
    }
    result_.held = result_.why_not.empty();
    result_.elapsed_ns = tools_.now_ns() - begin_ns;
    return result_;
  }

 private:
  bool stopping() const { return stop_ != nullptr && stop_->load(); }
  bool Reaches(int64_t cost_ns) const { return deadline_ns_ == 0 || tools_.now_ns() + cost_ns <= deadline_ns_; }

  Choices ChoicesOf(size_t place) const {
    Choices choices;
    for (const auto& [workload, found] : finalists_) {
      choices.emplace(workload, found.proposals[std::min(place, found.proposals.size() - 1)]);
    }
    return choices;
  }

  Variant BuildVariant(Choices choices) const {
    ProposalSource source(choices);
    BuildOptions build;
    build.context = options_.context;
    build.configs = &source;
    const BuildResult built = Build(module_, build);
    const PackageSections parts = SplitPackage(built.package, "variant");
    Variant variant;
    variant.choices = std::move(choices);
    variant.job = MakePackageJob(built.plan, parts.lib, parts.params, options_.context.threads, NetworkFinals::kRuns);
    return variant;
  }

  // Returns false when the budget is over and no result came.
  bool WaitUntilLate(JobResult* result) {
    if (deadline_ns_ == 0) return runner_.Wait(-1, result);
    while (!runner_.Wait(RunnerWaits::kLookNs, result)) {
      if (stopping() || tools_.now_ns() > deadline_ns_ + RunnerWaits::kAfterHaltNs) return false;
    }
    return true;
  }

  void TimeOnce(Variant& variant, const JobGroup& group) {
    variant.job.group = group.number();
    const JobId id = runner_.SubmitPackage(variant.job);
    JobResult result;
    do {
      if (!WaitUntilLate(&result)) throw Error(ExitCode::kNoRunner, "no runner answered within the budget");
    } while (result.id != id);
    if (result.measurement.fate != Fate::kOk) throw Error(ExitCode::kNoRunner, result.measurement.message);
    variant.total_ns.push_back(std::accumulate(result.cost.calls_ns.begin(), result.cost.calls_ns.end(), int64_t{0}));
    for (const auto& [workload, ns] : NsByWorkload(variant.job.plan, result.cost.calls_ns)) {
      variant.workload_ns[workload].push_back(ns);
    }
  }

  // Times all variants on one machine, every round in a new random order. Returns false when interrupted.
  bool Time(const std::vector<Variant*>& variants) {
    const JobGroup group(runner_);
    std::vector<Variant*> order = variants;
    for (int round = 0; round < NetworkFinals::kRounds; ++round) {
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.Below(i)]);
      for (Variant* variant : order) {
        if (stopping()) return false;
        TimeOnce(*variant, group);
      }
    }
    return true;
  }

  // Returns the reason why the finals were not held, or empty.
  std::string Compare() {
    const char* const late = "the budget left no time to build the model";
    if (!Reaches(kLeastNs)) return late;
    std::vector<Variant> variants;
    const int64_t begin_ns = tools_.now_ns();
    variants.push_back(BuildVariant(ChoicesOf(0)));
    const int64_t build_ns = tools_.now_ns() - begin_ns;
    TimeOnce(variants[0], JobGroup(runner_));
    const int64_t cost_ns = tools_.now_ns() - begin_ns - build_ns;
    variants[0].total_ns.clear();
    variants[0].workload_ns.clear();
    // The time for `count` variants, and for the model with and without its replacements.
    const auto needs_ns = [&](int64_t count) {
      return count * build_ns + (count + 2) * NetworkFinals::kRounds * cost_ns;
    };
    size_t most = 1;
    for (const auto& [workload, found] : finalists_) most = std::max(most, found.proposals.size());
    while (most > 1 && !Reaches(needs_ns(static_cast<int64_t>(most)))) --most;
    if (most < 2) return late;
    for (size_t place = 1; place < most; ++place) variants.push_back(BuildVariant(ChoicesOf(place)));
    std::vector<Variant*> all(variants.size());
    std::transform(variants.begin(), variants.end(), all.begin(), [](Variant& variant) { return &variant; });
    if (!Time(all)) return "interrupted";
    return Decide(variants) ? "" : "interrupted";
  }

  size_t WinnerOf(const std::string& workload, const std::vector<Variant>& variants) const {
    const size_t rivals = std::min(finalists_.at(workload).proposals.size(), variants.size());
    std::vector<std::vector<int64_t>> ns;
    for (size_t k = 0; k < rivals; ++k) {
      const auto seen = variants[k].workload_ns.find(workload);
      if (seen == variants[k].workload_ns.end()) return 0;
      ns.push_back(seen->second);
    }
    return RankFinalists(ns, 0).winner;
  }

  bool Decide(std::vector<Variant>& variants) {
    std::map<std::string, size_t> winners;
    Choices choices = variants[0].choices;
    for (const auto& [workload, found] : finalists_) {
      const size_t winner = WinnerOf(workload, variants);
      winners[workload] = winner;
      choices[workload] = found.proposals[winner];
      result_.replaced += winner != 0;
    }
    result_.before = result_.after = MedianOf(variants[0].total_ns);
    if (result_.replaced > 0 && !Confirm(variants[0], std::move(choices), winners)) return false;
    Keep(variants, winners);
    return true;
  }

  // Winners found one by one must also win together. Returns false when interrupted.
  bool Confirm(const Variant& before, Choices choices, std::map<std::string, size_t>& winners) {
    Variant old_one = before;
    old_one.total_ns.clear();
    Variant new_one = BuildVariant(std::move(choices));
    if (!Time({&old_one, &new_one})) return false;
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

  void Keep(const std::vector<Variant>& variants, const std::map<std::string, size_t>& winners) {
    std::vector<Record> records;
    for (const auto& [workload, found] : finalists_) {
      const size_t rivals = std::min(found.proposals.size(), variants.size());
      if (rivals < 2) continue;
      const Proposal& winner = found.proposals[winners.at(workload)];
      for (Record record : found.records) {
        const Proposal proposal{record.candidate.schedule, record.candidate.config};
        const auto k = static_cast<size_t>(
            std::find(found.proposals.begin(), found.proposals.begin() + static_cast<int64_t>(rivals), proposal) -
            found.proposals.begin());
        if (k >= rivals) continue;
        const auto& ns = variants[k].workload_ns.at(workload);
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

  const relay::IRModule& module_;
  const TuneOptions& options_;
  Runner& runner_;
  RecordStore& store_;
  const TuneTools tools_;
  const int64_t deadline_ns_;
  const std::atomic<bool>* stop_;
  Random random_;
  AllFinalists finalists_;
  NetworkFinals result_;
};

}  // namespace

NetworkFinals HoldNetworkFinals(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                                RecordStore& store, int64_t deadline_ns, const std::atomic<bool>* stop) {
  return Finals(module, options, runner, store, deadline_ns, stop).Hold();
}

}  // namespace hone
