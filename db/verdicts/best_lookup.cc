#include "db/verdicts/best_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/failure.h"
#include "core/machine/llvm_cpu_name.h"
#include "db/verdicts/row_verdicts.h"

namespace hone {

RecordId::RecordId(std::string_view text) : size_(static_cast<uint8_t>(text.size())) {
  if (text.size() > kMostDigits) {
    throw Error(ExitCode::kBadData,
                fmt::format("a record's id has {} characters; at most {} are right", text.size(), kMostDigits));
  }
  std::copy(text.begin(), text.end(), digits_.begin());
}

namespace {

constexpr int kOtherMicroarchitecture = kRanks - 1;

std::string_view Architecture(const Target& target) {
  const std::string_view triple = target.triple;
  const std::string_view name = triple.substr(0, triple.find('-'));
  if (name == "amd64") return "x86_64";
  return name == "arm64" ? "aarch64" : name;
}

// The required features of code tuned for `needs` that the target lacks.
std::vector<std::string> Lacking(const Target& needs, const MachineModel& has) {
  std::vector<std::string> lacking = MachineModelFor(needs).required_features;
  const std::vector<std::string>& held = has.required_features;
  std::erase_if(lacking,
                [&](const std::string& feature) { return std::find(held.begin(), held.end(), feature) != held.end(); });
  return lacking;
}

// Decided by the machine that measured, never by the target of the code: code for a haswell runs on many others. If
// the wanted machine is not known, the target's CPU name decides, provided that it names one microarchitecture.
bool SameMicroarchitecture(const BestRow& row, const BestWanted& wanted) {
  if (wanted.machine.known()) return SameModel(row.setup->machine, wanted.machine);
  return !row.setup->machine.emulated && row.llvm_cpu == wanted.target.cpu && !IsGenericCpu(row.llvm_cpu);
}

int RankOf(const BestRow& row, const BestWanted& wanted) {
  if (SameExactly(row.setup->machine, wanted.machine)) return row.setup->threads == wanted.threads ? 0 : 1;
  return SameMicroarchitecture(row, wanted) ? 2 : kOtherMicroarchitecture;
}

// The verdicts that depend only on a row's setup. Runs of rows share one setup, so targets and fingerprints are
// compared once per run.
class SetupVerdicts {
 public:
  explicit SetupVerdicts(const BestWanted& wanted) : wanted_(wanted), model_(MachineModelFor(wanted.target)) {}

  // Must be called before the other functions, which answer for the row of the last call.
  void Look(const BestRow& row) {
    if (setup_ == &*row.setup && llvm_cpu_ == row.llvm_cpu) return;
    setup_ = &*row.setup;
    llvm_cpu_ = row.llvm_cpu;
    rank_ = RankOf(row, wanted_);
    lacking_.clear();
    why_not_.reset();
    if (Architecture(setup_->target) != Architecture(wanted_.target)) {
      why_not_ = LeftOut::kOtherArchitecture;
    } else if (lacking_ = Lacking(setup_->target, model_); !lacking_.empty()) {
      why_not_ = LeftOut::kLacksFeatures;
    }
  }
  int rank() const { return rank_; }
  std::optional<LeftOut> why_not() const { return why_not_; }
  std::string Detail() const { return fmt::format("{}", fmt::join(lacking_, " ")); }

 private:
  const BestWanted& wanted_;
  const MachineModel model_;
  const Setup* setup_ = nullptr;
  std::string llvm_cpu_;
  int rank_ = 0;
  std::optional<LeftOut> why_not_;
  std::vector<std::string> lacking_;
};

// The order of Criterion; valid as long as the row.
using Key = std::tuple<int, bool, double, bool, bool, int64_t, bool, int64_t, const RecordId&>;

class KeyMaker {
 public:
  explicit KeyMaker(const BestWanted& wanted) : wanted_(wanted) {}

  Key Of(const BestRow& row) {
    if (setup_ != &*row.setup) {
      setup_ = &*row.setup;
      other_code_ = !SameCode(setup_->target, wanted_.target);
    }
    return {row.rank,
            setup_->machine.emulated,
            row.expected_loss,
            other_code_,
            setup_->threads != wanted_.threads,
            row.worth_ns,
            row.held == 0 || row.min_ns != row.worth_ns,
            row.min_ns,
            row.id};
  }

 private:
  const BestWanted& wanted_;
  const Setup* setup_ = nullptr;  // setup of the last row
  bool other_code_ = false;
};

// Moves the row at from[i] to i for each i and uses up `from`. It works in place: a second vector of a thousand rows
// would be memory that the system provides and takes back with each lookup.
void Arrange(std::vector<BestRow>& rows, std::vector<size_t>& from) {
  for (size_t start = 0; start < rows.size(); ++start) {
    if (from[start] == start) continue;
    BestRow first = std::move(rows[start]);
    size_t to = start;
    for (size_t next = from[to]; next != start; next = from[to]) {
      rows[to] = std::move(rows[next]);
      from[to] = to;
      to = next;
    }
    rows[to] = std::move(first);
    from[to] = to;
  }
}

// The indices of the rows in their order. Keys are sorted instead of rows because rows are large.
std::vector<size_t> Order(const std::vector<BestRow>& rows, const BestWanted& wanted) {
  KeyMaker maker(wanted);
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (const BestRow& row : rows) keys.push_back(maker.Of(row));
  std::vector<size_t> places(rows.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::sort(places.begin(), places.end(), [&keys](size_t a, size_t b) { return keys[a] < keys[b]; });
  return places;
}

template <size_t... I>
size_t FirstDifference(const Key& a, const Key& b, std::index_sequence<I...> /*all*/) {
  size_t place = 0;
  const bool differs = ((std::get<I>(a) == std::get<I>(b) ? (++place, false) : true) || ...);
  return differs ? place : sizeof...(I) - 1;
}

struct Reason {
  LeftOut why = LeftOut::kFailed;
  std::string detail;
};

// The reason why each row may not be used; none for usable rows, whose rank is set.
class Judge {
 public:
  Judge(std::vector<BestRow>& rows, const BestWanted& wanted)
      : rows_(rows),
        cache_(wanted.cache),
        setup_verdicts_(wanted),
        failed_since_(FailedSince(rows, wanted)),
        doubted_since_(DoubtedSince(rows)) {}

  std::vector<std::optional<Reason>> Run() {
    std::vector<std::optional<Reason>> left_out(rows_.size());
    std::array<bool, kRanks> has_cold{};
    for (size_t i = 0; i < rows_.size(); ++i) {
      left_out[i] = WhyNot(i);
      if (left_out[i]) continue;
      rows_[i].rank = setup_verdicts_.rank();
      if (rows_[i].own_kind && rows_[i].rank == kOtherMicroarchitecture) {
        left_out[i] = Reason{LeftOut::kOtherKind, ""};
        continue;
      }
      if (rows_[i].setup->cache == CacheMode::kColdWeights) has_cold.at(rows_[i].rank) = true;
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (left_out[i] || rows_[i].setup->cache == CacheMode::kColdWeights || !has_cold.at(rows_[i].rank)) continue;
      left_out[i] = Reason{LeftOut::kOtherCache, ""};
    }
    return left_out;
  }

 private:
  std::optional<Reason> WhyNot(size_t i) {
    const BestRow& row = rows_[i];
    if (row.fate != Fate::kOk || row.min_ns <= 0) return Reason{LeftOut::kFailed, ""};
    if (row.noisy) return Reason{LeftOut::kNoisy, ""};
    if (cache_ && row.setup->cache != *cache_) return Reason{LeftOut::kOtherCache, ""};
    if (doubted_since_[i] != nullptr) return Reason{LeftOut::kDoubtedSince, doubted_since_[i]->id.text()};
    setup_verdicts_.Look(row);
    if (const auto why = setup_verdicts_.why_not()) return Reason{*why, setup_verdicts_.Detail()};
    if (failed_since_[i] != nullptr) return Reason{LeftOut::kFailedSince, failed_since_[i]->id.text()};
    return std::nullopt;
  }

  std::vector<BestRow>& rows_;
  const std::optional<CacheMode> cache_;
  SetupVerdicts setup_verdicts_;
  const std::vector<const BestRow*> failed_since_, doubted_since_;
};

}  // namespace

std::string CandidateText(std::string schedule, std::string_view config) {
  schedule.reserve(schedule.size() + 1 + config.size());
  schedule += ' ';
  schedule += config;
  return schedule;
}

BestRow BestRowOf(const Record& record, int64_t seq) {
  BestRow row;
  row.seq = seq;
  row.id = RecordId(record.id);
  row.setup = SharedSetup(SetupOf(record));
  row.llvm_cpu = LlvmCpuOf(record.measurement.environment);
  row.min_ns = record.measurement.MinNs();
  row.session = record.session;
  row.candidate = CandidateText(record.candidate.schedule, record.candidate.config.ToText());
  row.schedule_version = record.schedule_version;
  row.held = record.finals.held;
  row.place = record.finals.place;
  row.fate = record.measurement.fate;
  row.noisy = record.measurement.noisy;
  row.blames_for_machine = BlamesForMachine(row.fate, record.measurement.message);
  return row;
}

Criterion DecidedBy(const BestRow& ahead, const BestRow& behind, const BestWanted& wanted) {
  KeyMaker maker(wanted);
  const Key a = maker.Of(ahead), b = maker.Of(behind);
  return static_cast<Criterion>(FirstDifference(a, b, std::make_index_sequence<std::tuple_size_v<Key>>()));
}

BestLookup LookUpBest(std::vector<BestRow> rows, const BestWanted& wanted) {
  std::vector<std::optional<Reason>> why_not = Judge(rows, wanted).Run();
  BestLookup lookup;
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (std::optional<Reason>& reason = why_not[i]) {
      lookup.left_out.push_back({std::move(rows[i]), reason->why, std::move(reason->detail)});
    } else if (kept++ < i) {
      rows[kept - 1] = std::move(rows[i]);
    }
  }
  rows.resize(kept);
  lookup.ranked = std::move(rows);
  WorthByFinals(lookup.ranked);
  SortRanked(lookup.ranked, wanted);
  return lookup;
}

void SortRanked(std::vector<BestRow>& ranked, const BestWanted& wanted) {
  std::vector<size_t> order = Order(ranked, wanted);
  Arrange(ranked, order);
}

std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted) {
  return LookUpBest(std::move(rows), wanted).ranked;
}

}  // namespace hone
