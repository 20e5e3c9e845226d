#include "db/verdicts/best_in_setup.h"

#include <algorithm>

#include "db/setup.h"

namespace hone {
namespace {

bool OfOnePlace(const Setup& a, const Setup& b) {
  return a.threads == b.threads && SameCode(a.target, b.target) && SameExactly(a.machine, b.machine);
}

}  // namespace

std::vector<BestRow> RankInSetup(const std::vector<BestRow>& rows, const std::function<bool(const BestRow& row)>& own) {
  const auto any = std::find_if(rows.begin(), rows.end(), own);
  if (any == rows.end()) return {};
  const SharedSetup setup = any->setup;
  std::vector<BestRow> near;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(near), [&](const BestRow& row) {
    return own(row) || (row.setup->cache != setup->cache && OfOnePlace(*row.setup, *setup));
  });
  return RankRecords(std::move(near), {setup->target, setup->machine, setup->threads, setup->cache});
}

std::optional<BestRow> BestInSetup(const std::vector<BestRow>& rows,
                                   const std::function<bool(const BestRow& row)>& own) {
  std::vector<BestRow> ranked = RankInSetup(rows, own);
  if (ranked.empty()) return std::nullopt;
  return std::move(ranked.front());
}

int64_t NsInSetup(const std::vector<BestRow>& ranked, const std::string& candidate) {
  int64_t in_finals_ns = 0, worth_ns = 0;
  const auto take = [](int64_t& least_ns, int64_t ns) {
    if (least_ns == 0 || ns < least_ns) least_ns = ns;
  };
  for (const BestRow& row : ranked) {
    if (row.candidate != candidate) continue;
    const BestRow& best = ranked.front();
    if (best.held > 0 && row.held == best.held && row.session == best.session) take(in_finals_ns, row.min_ns);
    take(worth_ns, row.worth_ns);
  }
  return in_finals_ns > 0 ? in_finals_ns : worth_ns;
}

}  // namespace hone
