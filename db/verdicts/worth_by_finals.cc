#include "db/verdicts/worth_by_finals.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace hone {
namespace {

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
    const bool knew_it = f.any->session == row.session || f.candidates.contains(row.candidate);
    if (f.last_seq >= row.seq && knew_it && f.any->setup == row.setup) covering = &f;
  }
  while (covering != nullptr && covering->successor != nullptr) covering = covering->successor;
  return covering;
}

}  // namespace

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
