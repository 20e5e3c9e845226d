#include "db/best_lookup.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "db/judge_by_finals.h"

namespace hone {
namespace {

constexpr int kRanks = 4;
constexpr int kUnusable = kRanks;

std::string_view Architecture(const Target& target) {
  const std::string_view triple = target.triple;
  const std::string_view name = triple.substr(0, triple.find('-'));
  if (name == "amd64") return "x86_64";
  return name == "arm64" ? "aarch64" : name;
}

// Whether code that `needs` was tuned for can be tuned alike for `has`.
bool Suits(const Target& needs, const Target& has, const MachineModel& has_model) {
  if (Architecture(needs) != Architecture(has)) return false;
  const std::vector<std::string> required = MachineModelFor(needs).required_features;
  const std::vector<std::string>& held = has_model.required_features;
  return std::all_of(required.begin(), required.end(), [&](const std::string& feature) {
    return std::find(held.begin(), held.end(), feature) != held.end();
  });
}

int RankOf(const BestRow& row, const BestWanted& wanted) {
  const bool same_cpu = !wanted.cpu_model.empty() && row.cpu_model == wanted.cpu_model;
  if (same_cpu) return row.threads == wanted.threads ? 0 : 1;
  return !wanted.target.cpu.empty() && row.target.cpu == wanted.target.cpu ? 2 : 3;
}

}  // namespace

BestRow BestRowOf(const Record& record, int64_t seq) {
  BestRow row;
  row.seq = seq;
  row.id = record.id;
  row.target = record.candidate.target;
  row.threads = record.threads;
  row.cpu_model = record.measurement.environment.cpu_model;
  row.cache = record.timing.cache;
  row.emulated = record.measurement.environment.emulated;
  row.min_ns = record.measurement.MinNs();
  row.session = record.session;
  row.candidate = record.candidate.schedule + " " + record.candidate.config.ToText();
  row.held = record.finals.held;
  row.place = record.finals.place;
  return row;
}

std::vector<BestRow> RankRecords(std::vector<BestRow> rows, const BestWanted& wanted) {
  const MachineModel model = MachineModelFor(wanted.target);
  std::array<bool, kRanks + 1> has_cold{};
  // Rows come in runs of one target, and a machine model is not free.
  const Target* last = nullptr;
  bool suits = false;
  for (BestRow& row : rows) {
    if (last == nullptr || !(*last == row.target)) suits = Suits(row.target, wanted.target, model);
    last = &row.target;
    row.rank = suits && row.min_ns > 0 ? RankOf(row, wanted) : kUnusable;
    if (row.cache == CacheMode::kColdWeights) has_cold.at(row.rank) = true;
  }
  std::erase_if(rows, [&](const BestRow& row) {
    return row.rank == kUnusable || (row.cache != CacheMode::kColdWeights && has_cold.at(row.rank));
  });
  JudgeByFinals(rows);
  std::sort(rows.begin(), rows.end(), [](const BestRow& a, const BestRow& b) {
    const bool a_screening = a.held == 0, b_screening = b.held == 0;
    return std::tie(a.rank, a.emulated, a.worth_ns, a_screening, a.min_ns, a.id) <
           std::tie(b.rank, b.emulated, b.worth_ns, b_screening, b.min_ns, b.id);
  });
  return rows;
}

}  // namespace hone
