#include "tuner/verify_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/random.h"
#include "core/stats/sample_statistics.h"
#include "db/verdicts/best_lookup.h"
#include "tuner/finals/interleaved_rounds.h"
#include "tuner/search/search_space.h"
#include "tuner/trial.h"

namespace hone {
namespace {

constexpr int kVerifySamples = 9;  // in each process
constexpr double kLeastLoss = 0.01;
constexpr double kMostP = 0.05;

// The record chosen for each workload, longest time first.
std::vector<Record> Chosen(const std::vector<Record>& records, const VerifyOptions& options, Runner& runner) {
  std::map<std::string, std::vector<BestRow>> rows;
  for (size_t i = 0; i < records.size(); ++i) {
    const Measurement& measurement = records[i].measurement;
    if (measurement.fate != Fate::kOk || measurement.noisy) continue;
    rows[records[i].candidate.workload.ToText()].push_back(BestRowOf(records[i], static_cast<int64_t>(i)));
  }
  const BestWanted wanted{options.context.target, FingerprintOf(runner.Describe()), options.context.threads};
  std::vector<Record> chosen;
  for (auto& [workload, of_workload] : rows) {
    const std::vector<BestRow> ranked = RankRecords(std::move(of_workload), wanted);
    if (!ranked.empty()) chosen.push_back(records[static_cast<size_t>(ranked.front().seq)]);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Record& a, const Record& b) { return a.measurement.MinNs() > b.measurement.MinNs(); });
  return chosen;
}

std::vector<int64_t> LeastOf(const std::vector<Measurement>& rounds) {
  std::vector<int64_t> least;
  for (const Measurement& round : rounds) {
    if (round.fate == Fate::kOk && round.MinNs() > 0) least.push_back(round.MinNs());
  }
  return least;
}

int64_t Least(const std::vector<int64_t>& ns) { return ns.empty() ? 0 : *std::min_element(ns.begin(), ns.end()); }

// Times one record against its workload's default.
class Duel {
 public:
  Duel(const Record& record, const VerifyOptions& options, const TuneTools& tools)
      : record_(record),
        options_(options),
        tools_(tools),
        schedules_(SchedulesOf(tools, record.candidate.workload, options.context)),
        space_({record.candidate.workload, options.context.machine(), schedules_, nullptr}) {
    verified_.id = record.id;
    verified_.workload = record.candidate.workload.ToText();
    verified_.recorded_ns = record.measurement.MinNs();
  }

  // Returns false when it was halted or the machine was lost.
  bool Run(Runner& runner, const std::function<bool()>& halted, Random& random) {
    if (const auto why = Unfit()) return Fail(*why);
    trials_.push_back(TrialOf({record_.candidate.schedule, record_.candidate.config}));
    if (const Rejection* rejection = std::get_if<Rejection>(&trials_[0].built)) {
      Expect(*rejection);
      results_ = {{NotBuilt(*rejection, runner)}};
      return Fail(rejection->reason);
    }
    const Proposal& other = space_.ranked().front().proposal;
    if (space_.Key(other) != space_.Key(trials_[0].proposal)) trials_.push_back(TrialOf(other));
    if (const Rejection* rejection = std::get_if<Rejection>(&trials_.back().built)) {
      Expect(*rejection);
      trials_.pop_back();
    }
    const Artifact reference = tools_.reference(record_.candidate.workload, options_.context.target);
    std::vector<KernelJob> jobs;
    for (const Trial& trial : trials_) jobs.push_back(MakeJob(trial, reference, {random.Next(), random.Next()}));
    results_ = InterleavedRounds(runner, jobs, kVerifyRounds, random, tools_, halted);
    if (results_.empty()) return false;
    Judge();
    return true;
  }

  const VerifiedRecord& verified() const { return verified_; }

  // One record for each round. With a single candidate nothing was decided, so its records are no finals.
  std::vector<Record> Records(const std::string& session) {
    std::vector<Record> records;
    for (size_t i = 0; i < results_.size(); ++i) {
      for (size_t round = 0; round < results_[i].size(); ++round) {
        Trial& trial = trials_[i];
        trial.measurement = results_[i][round];
        Record record = MakeRecord(trial, session, tools_);
        const bool won = (i == 0) != (verified_.holding == Holding::kLoses || verified_.holding == Holding::kFailed);
        if (results_.size() > 1) record.finals = {1, static_cast<int>(round) + 1, won ? 1 : 2, i == 0};
        records.push_back(Finish(std::move(record)));
      }
    }
    return records;
  }

 private:
  std::optional<std::string> Unfit() const {
    const Schedule* schedule = space_.Find(record_.candidate.schedule);
    if (schedule == nullptr) return fmt::format("no schedule {} computes it here", record_.candidate.schedule);
    if (schedule->version() != record_.schedule_version) {
      return fmt::format("{} is of version {} now, the record of {}", record_.candidate.schedule, schedule->version(),
                         record_.schedule_version);
    }
    return schedule->Reject(record_.candidate.workload, options_.context.machine(), record_.candidate.config);
  }

  bool Fail(const std::string& why) {
    verified_.holding = Holding::kFailed;
    verified_.why = why;
    return true;
  }

  // Throws if the rejection says nothing about the record.
  static void Expect(const Rejection& rejection) {
    if (rejection.fate == Fate::kCancelled) throw Error(rejection.code, rejection.reason);
  }

  static Measurement NotBuilt(const Rejection& rejection, Runner& runner) {
    Measurement measurement;
    measurement.fate = rejection.fate;
    measurement.message = rejection.reason;
    measurement.environment = runner.Describe();
    return measurement;
  }

  Trial TrialOf(const Proposal& proposal) const {
    Trial trial = MakeTrial(space_, record_.candidate.workload, proposal, options_.context.target);
    trial.timing.cache = record_.timing.cache;
    trial.timing.threads = options_.context.threads;
    trial.timing.min_samples = trial.timing.max_samples = kVerifySamples;
    trial.built = tools_.compile(trial.candidate);
    return trial;
  }

  void Judge() {
    const std::vector<int64_t> here = LeastOf(results_[0]);
    const std::vector<int64_t> other = results_.size() > 1 ? LeastOf(results_[1]) : std::vector<int64_t>();
    verified_.here_ns = Least(here);
    verified_.default_ns = results_.size() > 1 ? Least(other) : verified_.here_ns;
    // A kernel that is wrong once is wrong.
    for (const Measurement& round : results_[0]) {
      if (round.fate != Fate::kOk) verified_.why = fmt::format("{}: {}", FateName(round.fate), round.message);
    }
    if (!verified_.why.empty() || here.empty()) return;
    const double loss = static_cast<double>(verified_.here_ns) / static_cast<double>(verified_.default_ns) - 1;
    const double change = static_cast<double>(verified_.here_ns) / static_cast<double>(verified_.recorded_ns) - 1;
    verified_.holding = Holding::kHolds;
    if (change > kHoldsWithin) verified_.holding = Holding::kSlower;
    if (change < -kHoldsWithin) verified_.holding = Holding::kFaster;
    if (!other.empty() && loss > kLeastLoss && MannWhitney(here, other).p < kMostP) verified_.holding = Holding::kLoses;
  }

  const Record& record_;
  const VerifyOptions& options_;
  const TuneTools& tools_;
  const std::vector<const Schedule*> schedules_;
  const SearchSpace space_;
  VerifiedRecord verified_;
  std::vector<Trial> trials_;                      // the record's, then the default's if that is another
  std::vector<std::vector<Measurement>> results_;  // by trial and round
};

}  // namespace

std::string_view HoldingName(Holding holding) {
  static constexpr std::array<std::string_view, 5> kNames = {"holds", "faster", "slower", "loses to the default",
                                                             "fails"};
  return kNames.at(static_cast<size_t>(holding));
}

VerifyReport VerifyRecords(const std::vector<Record>& records, const VerifyOptions& options, Runner& runner,
                           RecordStore& store, const TuneTools& tools, const std::function<bool()>& halted,
                           const std::function<void(const VerifiedRecord&)>& observe) {
  const int64_t begin_ns = tools.now_ns();
  const std::string session = Sha256Hex(fmt::format("verify {} {}", tools.unix_ms(), begin_ns)).substr(0, 16);
  const auto over = [&] { return options.budget_ns > 0 && tools.now_ns() - begin_ns >= options.budget_ns; };
  Random random(options.seed);
  VerifyReport report;
  const std::vector<Record> chosen = Chosen(records, options, runner);
  for (size_t i = 0; i < chosen.size(); ++i) {
    Duel duel(chosen[i], options, tools);
    const bool ended = halted() || over();
    if (ended || !duel.Run(runner, halted, random)) {
      report.lost = !ended && !halted();
      report.not_reached = static_cast<int64_t>(chosen.size() - i);
      break;
    }
    store.Append(duel.Records(session));
    report.records.push_back(duel.verified());
    observe(duel.verified());
  }
  return report;
}

}  // namespace hone
