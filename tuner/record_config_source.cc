#include "tuner/record_config_source.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <set>

#include "compiler/schedules/schedule.h"
#include "db/setup.h"

namespace hone {
namespace {

using Verdict = ConsideredRecord::Verdict;

// The number of tasks that connect kinds of machines. Reading more would take longer than they are worth.
constexpr size_t kMostTasks = 256;
// Records beyond this number are so much slower that losing their layouts costs nothing.
constexpr size_t kLookedForEach = 512;

// Whether the times of both tell which is faster.
bool Comparable(const BestRow& a, const BestRow& b) {
  return a.rank == b.rank && a.setup->machine == b.setup->machine && a.setup->threads == b.setup->threads &&
         SameCode(a.setup->target, b.setup->target);
}

// The objection to a ranked row by itself; kTaken if there is none.
ConsideredRecord Judge(BestRow row, const ConfigRefusal& refusal) {
  ConsideredRecord considered;
  considered.verdict = Verdict::kTaken;
  const Schedule* schedule = FindSchedule(row.schedule());
  if (schedule == nullptr) {
    considered.verdict = Verdict::kRefused;
    considered.detail = "there is no schedule " + row.schedule();
  } else if (schedule->version() != row.schedule_version) {
    considered.verdict = Verdict::kOtherVersion;
  } else if (auto why = refusal(row.schedule(), Config::Parse(row.config()))) {
    considered.verdict = Verdict::kRefused;
    considered.detail = std::move(*why);
  }
  considered.row = std::move(row);
  return considered;
}

}  // namespace

RecordConfigSource::RecordConfigSource(const RecordStore& store, Fingerprint machine)
    : layers_(own_layers_), machine_(std::move(machine)) {
  own_layers_.Add(kStoreOrigin, StoreLayer(Borrowed(store)));
}

BestLookup RecordConfigSource::LookUp(const Workload& workload, const Target& target, int threads) const {
  const BestWanted wanted{target, machine_, threads};
  const std::string text = workload.ToText();
  BestLookup lookup = LookUpBest(layers_.Rows(text), wanted);
  blames_[text] = std::count_if(lookup.left_out.begin(), lookup.left_out.end(),
                                [](const LeftOutRow& out) { return out.row.blames_for_machine; });
  // A record of this kind of machine stays first, whatever loss others have.
  if (lookup.ranked.empty() || !IsForeign(lookup.ranked.front(), wanted)) return lookup;
  KnownFor(wanted).losses.Order(lookup.ranked);
  return lookup;
}

RecordConfigSource::Known& RecordConfigSource::KnownFor(const BestWanted& wanted) const {
  if (known_ && known_->target == wanted.target && known_->threads == wanted.threads) return *known_;
  known_.emplace(Known{wanted.target, wanted.threads, TransferLosses(wanted)});
  const std::vector<std::string> workloads = layers_.Workloads();
  const size_t step = (workloads.size() + kMostTasks - 1) / kMostTasks;
  for (size_t i = 0; i < workloads.size(); i += step) known_->losses.Add(layers_.Rows(workloads[i]));
  return *known_;
}

std::optional<ExpectedLoss> RecordConfigSource::LossOf(const Workload& workload, const BestRow& row,
                                                       const BuildContext& context) const {
  const BestWanted wanted{context.target, machine_, context.threads};
  if (!IsForeign(row, wanted)) return std::nullopt;
  Known& known = KnownFor(wanted);
  if (const auto measured = known.losses.Of(row)) return ExpectedLoss{measured->share, measured->tasks};
  const MachineModel machine = context.machine();
  const Config config = Config::Parse(row.config());
  if (WhyUnusable(workload, machine, row.schedule(), config, context.exact_math)) return std::nullopt;
  const auto [otherwise, is_new] = known.default_ns.try_emplace(workload.ToText(), 0);
  if (is_new) otherwise->second = AnalyticDefault(workload, machine).estimate_ns;
  const double estimate = FindSchedule(row.schedule())->EstimateNs(workload, machine, config);
  if (otherwise->second <= 0 || estimate <= 0) return std::nullopt;
  return ExpectedLoss{std::max(estimate / otherwise->second - 1, 0.0), 0};
}

std::optional<ExpectedLoss> RecordConfigSource::LossOf(const Workload& workload, const std::string& record,
                                                       const BuildContext& context) const {
  for (const BestRow& row : LookUp(workload, context.target, context.threads).ranked) {
    if (row.id.view() == record) return LossOf(workload, row, context);
  }
  return std::nullopt;
}

ConfigChoice RecordConfigSource::ChoiceOf(const BestRow& row) const {
  std::string source(NearnessName(row.rank));
  if (const std::string& origin = layers_.OriginOf(row); origin != kStoreOrigin) source += ", " + origin;
  return {row.schedule(), Config::Parse(row.config()), std::move(source), row.id.text(), row.worth_ns};
}

std::optional<ConfigChoice> RecordConfigSource::Choose(
    const Workload& workload, const Target& target, int threads,
    const std::function<bool(const std::string& schedule, const Config& config)>& valid) {
  const ConfigRefusal refusal = [&](const std::string& schedule, const Config& config) {
    return valid(schedule, config) ? std::nullopt : std::optional<std::string>("");
  };
  for (BestRow& row : LookUp(workload, target, threads).ranked) {
    const ConsideredRecord considered = Judge(std::move(row), refusal);
    if (considered.verdict == Verdict::kTaken) return ChoiceOf(considered.row);
  }
  return std::nullopt;
}

std::vector<ConfigChoice> RecordConfigSource::ChooseEach(const Workload& workload, const Target& target, int threads,
                                                         const ConfigClass& class_of) {
  std::vector<ConfigChoice> choices;
  std::set<std::string> seen;
  std::optional<BestRow> best;
  std::vector<BestRow> ranked = LookUp(workload, target, threads).ranked;
  if (ranked.size() > kLookedForEach) ranked.resize(kLookedForEach);
  for (BestRow& row : ranked) {
    if (best && !Comparable(*best, row)) continue;
    const ConfigRefusal refusal = [&](const std::string& schedule, const Config& config) {
      const auto name = class_of(schedule, config);
      return name && seen.insert(*name).second ? std::nullopt : std::optional<std::string>("");
    };
    const ConsideredRecord considered = Judge(std::move(row), refusal);
    if (considered.verdict != Verdict::kTaken) continue;
    choices.push_back(ChoiceOf(considered.row));
    if (!best) best = considered.row;
  }
  return choices;
}

std::vector<ConsideredRecord> RecordConfigSource::Consider(const Workload& workload, const Target& target, int threads,
                                                           const ConfigRefusal& refusal) const {
  BestLookup lookup = LookUp(workload, target, threads);
  std::vector<ConsideredRecord> all;
  std::optional<size_t> taken;
  for (BestRow& row : lookup.ranked) {
    if (taken) {
      const BestRow& best = all[*taken].row;
      const bool same = best.candidate == row.candidate && best.rank == row.rank && best.setup == row.setup;
      const Criterion decided = DecidedBy(best, row, {target, machine_, threads});
      all.push_back({std::move(row), same ? Verdict::kSameKernel : Verdict::kBehind, decided, LeftOut::kFailed, ""});
      continue;
    }
    all.push_back(Judge(std::move(row), refusal));
    if (all.back().verdict == Verdict::kTaken) taken = all.size() - 1;
  }
  for (LeftOutRow& out : lookup.left_out) {
    all.push_back({std::move(out.row), Verdict::kLeftOut, Criterion::kRank, out.why, std::move(out.detail)});
  }
  return all;
}

int64_t RecordConfigSource::OtherVersions(const Workload& workload) const {
  const std::vector<BestRow> rows = layers_.Rows(workload.ToText());
  return std::count_if(rows.begin(), rows.end(), [](const BestRow& row) {
    const Schedule* schedule = FindSchedule(row.schedule());
    return row.fate == Fate::kOk && schedule != nullptr && schedule->version() != row.schedule_version;
  });
}

int64_t RecordConfigSource::BlamesForMachine() const {
  return std::accumulate(blames_.begin(), blames_.end(), int64_t{0},
                         [](int64_t sum, const auto& blames) { return sum + blames.second; });
}

std::string_view NearnessName(int rank) {
  static constexpr std::array<std::string_view, 4> kNames = {"record", "other threads", "same microarchitecture",
                                                             "near"};
  return kNames.at(static_cast<size_t>(rank));
}

}  // namespace hone
