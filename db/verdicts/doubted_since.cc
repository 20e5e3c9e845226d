#include "db/verdicts/doubted_since.h"

#include <string_view>
#include <unordered_map>

namespace hone {
namespace {

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

}  // namespace

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

}  // namespace hone
