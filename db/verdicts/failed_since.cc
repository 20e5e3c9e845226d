#include "db/verdicts/failed_since.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

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

}  // namespace hone
