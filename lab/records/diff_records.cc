#include "lab/records/diff_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/stats/sample_statistics.h"
#include "db/trial_row.h"
#include "lab/machine/device_name.h"
#include "lab/records/best_records.h"

namespace hone {
namespace {

constexpr double kLeastChange = 0.01;
constexpr double kMostDiffP = 0.05;

struct Sides {
  const Record* before = nullptr;
  const Record* after = nullptr;
};

// Workload and setup.
std::string KeyOf(const Record& record) {
  const TrialRow row = TrialRowOf(record, 0);
  return row.workload + "\n" + SetupKey(row);
}

TimedWith TimedWithOf(const Record& record) {
  const Environment& environment = record.measurement.environment;
  return {record.hone_version, "", environment.microcode, environment.kernel};
}

std::string ConfigText(const Record* record) {
  return record == nullptr ? "" : record->candidate.schedule + " " + record->candidate.config.ToText();
}

RecordChange ChangeOf(const RecordDiff& diff) {
  if (diff.before_ns == 0) return RecordChange::kNew;
  if (diff.after_ns == 0) return RecordChange::kGone;
  const double ratio = static_cast<double>(diff.after_ns) / static_cast<double>(diff.before_ns);
  if (diff.p >= kMostDiffP || (ratio < 1 + kLeastChange && ratio > 1 / (1 + kLeastChange))) return RecordChange::kSame;
  return ratio < 1 ? RecordChange::kFaster : RecordChange::kSlower;
}

RecordDiff DiffOf(const Sides& sides) {
  const Record& any = sides.after != nullptr ? *sides.after : *sides.before;
  RecordDiff diff;
  diff.workload = any.candidate.workload.ToText();
  diff.device = MachineName(any) + (any.timing.cache == CacheMode::kWarm ? ", warm" : "");
  diff.threads = any.threads;
  if (sides.before != nullptr) diff.before_ns = sides.before->measurement.MinNs();
  if (sides.after != nullptr) diff.after_ns = sides.after->measurement.MinNs();
  diff.before = ConfigText(sides.before);
  diff.after = ConfigText(sides.after);
  if (sides.before != nullptr && sides.after != nullptr && sides.before->id != sides.after->id) {
    diff.what = WhatDiffers(TimedWithOf(*sides.before), TimedWithOf(*sides.after));
    diff.p = MannWhitney(sides.before->measurement.samples_ns, sides.after->measurement.samples_ns).p;
  }
  diff.change = ChangeOf(diff);
  return diff;
}

}  // namespace

std::string_view RecordChangeName(RecordChange change) {
  static constexpr std::array<std::string_view, 5> kNames = {"new", "gone", "faster", "slower", "same"};
  return kNames.at(static_cast<size_t>(change));
}

std::vector<std::string> WhatDiffers(const TimedWith& before, const TimedWith& after) {
  constexpr size_t kShownOfHash = 12;
  std::vector<std::string> what;
  const auto compare = [&](const char* name, const std::string& a, const std::string& b) {
    if (a != b && !a.empty() && !b.empty()) what.push_back(fmt::format("{} {} -> {}", name, a, b));
  };
  compare("hone", before.hone_version, after.hone_version);
  compare("package", before.package_sha256.substr(0, kShownOfHash), after.package_sha256.substr(0, kShownOfHash));
  compare("microcode", before.microcode, after.microcode);
  compare("Linux", before.kernel, after.kernel);
  return what;
}

std::vector<RecordDiff> DiffRecords(const std::vector<Record>& before, const std::vector<Record>& after) {
  const std::vector<Record> old_best = BestOf(before), new_best = BestOf(after);
  std::map<std::string, Sides> sides;
  for (const Record& record : old_best) sides[KeyOf(record)].before = &record;
  for (const Record& record : new_best) sides[KeyOf(record)].after = &record;
  std::vector<RecordDiff> diffs;
  diffs.reserve(sides.size());
  for (const auto& [key, both] : sides) diffs.push_back(DiffOf(both));
  std::stable_sort(diffs.begin(), diffs.end(), [](const auto& a, const auto& b) { return a.change < b.change; });
  return diffs;
}

}  // namespace hone
