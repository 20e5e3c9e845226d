#include "db/best_lookup.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/llvm_cpu_name.h"
#include "db/worth_by_finals.h"

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

// By what measured, never by what it measured: code for a haswell runs on many others. Of a target whose machine is not
// known its CPU's name tells, where it names one microarchitecture.
bool SameMicroarchitecture(const BestRow& row, const BestWanted& wanted) {
  if (wanted.machine.known()) return SameModel(row.setup.machine, wanted.machine);
  return !row.setup.machine.emulated && row.llvm_cpu == wanted.target.cpu && !IsGenericCpu(row.llvm_cpu);
}

int RankOf(const BestRow& row, const BestWanted& wanted) {
  if (SameExactly(row.setup.machine, wanted.machine)) return row.setup.threads == wanted.threads ? 0 : 1;
  return SameMicroarchitecture(row, wanted) ? 2 : 3;
}

}  // namespace

BestRow BestRowOf(const Record& record, int64_t seq) {
  BestRow row;
  row.seq = seq;
  row.id = record.id;
  row.setup = SetupOf(record);
  row.llvm_cpu = LlvmCpuOf(record.measurement.environment);
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
    const Target& target = row.setup.target;
    if (last == nullptr || !(*last == target)) suits = Suits(target, wanted.target, model);
    last = &target;
    row.rank = suits && row.min_ns > 0 ? RankOf(row, wanted) : kUnusable;
    if (row.setup.cache == CacheMode::kColdWeights) has_cold.at(row.rank) = true;
  }
  std::erase_if(rows, [&](const BestRow& row) {
    return row.rank == kUnusable || (row.setup.cache != CacheMode::kColdWeights && has_cold.at(row.rank));
  });
  WorthByFinals(rows);
  const auto key = [&wanted](const BestRow& row) {
    const bool other_code = !SameCode(row.setup.target, wanted.target);
    const bool other_threads = row.setup.threads != wanted.threads;
    return std::tuple<int, bool, bool, bool, int64_t, bool, int64_t, const std::string&>(
        row.rank, row.setup.machine.emulated, other_code, other_threads, row.worth_ns, row.held == 0, row.min_ns,
        row.id);
  };
  std::sort(rows.begin(), rows.end(), [&key](const BestRow& a, const BestRow& b) { return key(a) < key(b); });
  return rows;
}

}  // namespace hone
