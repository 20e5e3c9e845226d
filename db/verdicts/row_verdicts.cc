#include "db/verdicts/row_verdicts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hone {
namespace {

bool OfKernel(const BestRow& row) {
  if (row.blames_for_machine) return false;
  switch (row.fate) {
    case Fate::kInvalidConfig:
    case Fate::kUnsupported:
    case Fate::kCompileFailed:
    case Fate::kWrongOutput:
    case Fate::kOutOfBounds:
    case Fate::kCrashed:
    case Fate::kPolicyViolation:
      return true;
    case Fate::kTimedOut:
    case Fate::kOutOfMemory:
      return row.held > 0;
    case Fate::kOk:
    case Fate::kRunnerLost:
    case Fate::kCancelled:
      return false;
  }
  return false;
}

bool SamePlace(const BestRow& a, const BestRow& b) {
  return a.setup->threads == b.setup->threads && SameCode(a.setup->target, b.setup->target) &&
         SameExactly(a.setup->machine, b.setup->machine);
}

bool InPlace(const BestRow& row, const BestWanted& wanted) {
  return row.setup->threads == wanted.threads && SameCode(row.setup->target, wanted.target) &&
         SameExactly(row.setup->machine, wanted.machine);
}

// Whether a row of another session arrived after the failure.
bool Later(const BestRow& row, const BestRow& failure) {
  return row.seq > failure.seq && row.session != failure.session;
}

using FailuresByCandidate = std::unordered_map<std::string_view, std::vector<const BestRow*>>;

FailuresByCandidate Failures(const std::vector<BestRow>& rows) {
  FailuresByCandidate failures;
  for (const BestRow& row : rows) {
    if (OfKernel(row)) failures[row.candidate].push_back(&row);
  }
  return failures;
}

bool WorkedSince(const BestRow& failure, const std::vector<BestRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const BestRow& row) {
    return row.fate == Fate::kOk && Later(row, failure) && row.candidate == failure.candidate &&
           row.schedule_version == failure.schedule_version && SamePlace(row, failure);
  });
}

// Ignores which record arrived first, because stores are merged in any order.
bool SaysTheSame(const BestRow& row, const BestRow& doubt) {
  return doubt.session == row.session && doubt.min_ns == row.min_ns && doubt.held == row.held &&
         doubt.schedule_version == row.schedule_version && doubt.setup == row.setup;
}

using NoisyByCandidate = std::unordered_multimap<std::string_view, const BestRow*>;

NoisyByCandidate NoisyOnes(const std::vector<BestRow>& rows) {
  NoisyByCandidate noisy;
  for (const BestRow& row : rows) {
    if (row.fate == Fate::kOk && row.noisy) noisy.emplace(row.candidate, &row);
  }
  return noisy;
}

struct HeldFinals {
  const BestRow* any = nullptr;  // one of its rows: has its machine and its run
  int64_t last_seq = 0;
  int64_t winner_ns = 0;  // 0: the winner's rows are not among the given rows
  std::string winner;
  std::set<std::string> candidates;
  const HeldFinals* successor = nullptr;  // the last finals that had this winner among their candidates
};

std::vector<HeldFinals> AllFinals(const std::vector<BestRow>& rows) {
  std::vector<HeldFinals> all;
  for (const BestRow& row : rows) {
    if (row.held == 0) continue;
    auto finals = std::find_if(all.begin(), all.end(), [&](const HeldFinals& f) {
      return f.any->session == row.session && f.any->held == row.held && f.any->setup == row.setup;
    });
    if (finals == all.end()) {
      finals = all.insert(all.end(), HeldFinals());
      finals->any = &row;
    }
    finals->last_seq = std::max(finals->last_seq, row.seq);
    finals->candidates.insert(row.candidate);
    if (row.place != 1) continue;
    finals->winner = row.candidate;
    if (finals->winner_ns == 0 || row.min_ns < finals->winner_ns) finals->winner_ns = row.min_ns;
  }
  std::erase_if(all, [](const HeldFinals& f) { return f.winner_ns == 0; });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.last_seq < b.last_seq; });
  // Later finals that had an earlier winner among their candidates decide for both.
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t later = i + 1; later < all.size(); ++later) {
      if (all[later].candidates.contains(all[i].winner) && all[later].any->setup == all[i].any->setup) {
        all[i].successor = &all[later];
      }
    }
  }
  return all;
}

// The finals that decide about the row; null if none cover it.
const HeldFinals* Covering(const BestRow& row, const std::vector<HeldFinals>& all) {
  const HeldFinals* covering = nullptr;
  for (const HeldFinals& f : all) {
    const bool decides = row.held == 0 || f.any->session == row.session || f.candidates.contains(row.candidate);
    if (f.last_seq >= row.seq && decides && f.any->setup == row.setup) covering = &f;
  }
  while (covering != nullptr && covering->successor != nullptr) covering = covering->successor;
  return covering;
}

}  // namespace

std::vector<const BestRow*> FailedSince(const std::vector<BestRow>& rows, const BestWanted& wanted) {
  std::vector<const BestRow*> against(rows.size(), nullptr);
  const FailuresByCandidate failures = Failures(rows);
  if (failures.empty()) return against;
  for (size_t i = 0; i < rows.size(); ++i) {
    const BestRow& row = rows[i];
    if (row.fate != Fate::kOk) continue;
    const auto of_candidate = failures.find(row.candidate);
    if (of_candidate == failures.end()) continue;
    for (const BestRow* failure : of_candidate->second) {
      if (failure->schedule_version != row.schedule_version || Later(row, *failure)) continue;
      if (!InPlace(*failure, wanted) && !SamePlace(row, *failure)) continue;
      if (!WorkedSince(*failure, rows)) against[i] = failure;
    }
  }
  return against;
}

Record Doubted(Record record, const std::string& why) {
  record.measurement.noisy = true;
  record.measurement.environment.health = why;
  return Finish(std::move(record));
}

std::vector<const BestRow*> DoubtedSince(const std::vector<BestRow>& rows) {
  std::vector<const BestRow*> doubts(rows.size(), nullptr);
  const NoisyByCandidate noisy = NoisyOnes(rows);
  if (noisy.empty()) return doubts;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].fate != Fate::kOk || rows[i].noisy) continue;
    const auto [first, last] = noisy.equal_range(rows[i].candidate);
    for (auto it = first; it != last; ++it) {
      if (SaysTheSame(rows[i], *it->second)) doubts[i] = it->second;
    }
  }
  return doubts;
}

void WorthByFinals(std::vector<BestRow>& rows) {
  const std::vector<HeldFinals> all = AllFinals(rows);
  for (BestRow& row : rows) {
    row.worth_ns = row.min_ns;
    const HeldFinals* finals = Covering(row, all);
    if (finals == nullptr) continue;
    const bool won = row.candidate == finals->winner;
    row.worth_ns = won ? finals->winner_ns : std::max(row.min_ns, finals->winner_ns + 1);
  }
}

}  // namespace hone
