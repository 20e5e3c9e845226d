#include "db/transfer_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace hone {
namespace {

constexpr size_t kLeastCandidates = 2;

// Empty if the machine is not known: such setups are ignored.
std::string KindOf(const Setup& setup) {
  const Fingerprint& machine = setup.machine;
  if (!machine.known()) return "";
  return fmt::format("{} {} {} {} {} {} {}", machine.vendor, machine.family, machine.model, machine.host,
                     machine.core_kind, machine.emulated, setup.threads);
}

// The measurements of one setup for a workload.
struct Measured {
  const BestRow* any = nullptr;
  std::map<std::string, int64_t> least_ns;  // by candidate and version
  std::string best;
  int64_t best_ns = 0;
};

std::string CandidateOf(const BestRow& row) { return fmt::format("{} {}", row.schedule_version, row.candidate); }

std::vector<Measured> BySetup(const std::vector<BestRow>& rows) {
  std::vector<Measured> all;
  for (const BestRow& row : rows) {
    auto of_setup = std::find_if(all.begin(), all.end(), [&](const Measured& m) { return m.any->setup == row.setup; });
    if (of_setup == all.end()) of_setup = all.insert(all.end(), Measured{&row, {}, "", 0});
    const std::string candidate = CandidateOf(row);
    const auto known = of_setup->least_ns.try_emplace(candidate, row.min_ns).first;
    known->second = std::min(known->second, row.min_ns);
    if (of_setup->best.empty() || row.min_ns < of_setup->best_ns) {
      of_setup->best = candidate;
      of_setup->best_ns = row.min_ns;
    }
  }
  return all;
}

// log(time on `there` of the best of `from` / best time on `there`); nullopt if the two are not connected.
std::optional<double> LogLoss(const Measured& from, const Measured& there) {
  if (from.any->setup->cache != there.any->setup->cache || there.least_ns.size() < kLeastCandidates) {
    return std::nullopt;
  }
  const auto its = there.least_ns.find(from.best);
  if (its == there.least_ns.end()) return std::nullopt;
  return std::log(static_cast<double>(its->second) / static_cast<double>(there.best_ns));
}

}  // namespace

bool IsForeign(const BestRow& row, const BestWanted& wanted) {
  return row.rank == kRanks - 1 || row.setup->threads != wanted.threads;
}

void TransferLosses::Add(std::vector<BestRow> rows) {
  const std::vector<BestRow> ranked = RankRecords(std::move(rows), wanted_);
  const std::vector<Measured> all = BySetup(ranked);
  std::map<std::string, std::pair<double, int>> of_kind;  // sum of the logs and their number in this task
  for (const Measured& from : all) {
    const std::string kind = KindOf(*from.any->setup);
    if (kind.empty() || !IsForeign(*from.any, wanted_)) continue;
    for (const Measured& there : all) {
      if (IsForeign(*there.any, wanted_)) continue;
      if (const auto log = LogLoss(from, there)) {
        of_kind[kind].first += *log;
        ++of_kind[kind].second;
      }
    }
  }
  for (const auto& [kind, sum] : of_kind) {
    sums_[kind].of_logs += sum.first / sum.second;
    ++sums_[kind].tasks;
  }
}

std::optional<TransferLoss> TransferLosses::Of(const BestRow& row) const {
  if (!IsForeign(row, wanted_)) return std::nullopt;
  const auto found = sums_.find(KindOf(*row.setup));
  if (found == sums_.end()) return std::nullopt;
  return TransferLoss{std::exp(found->second.of_logs / found->second.tasks) - 1, found->second.tasks};
}

void TransferLosses::Order(std::vector<BestRow>& ranked) const {
  if (std::none_of(ranked.begin(), ranked.end(), [&](const BestRow& row) { return Of(row).has_value(); })) return;
  for (BestRow& row : ranked) {
    const auto loss = Of(row);
    row.expected_loss = loss ? loss->share : IsForeign(row, wanted_) ? kLossNotKnown : 0;
  }
  SortRanked(ranked, wanted_);
}

}  // namespace hone
