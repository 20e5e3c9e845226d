#include "compiler/schedules/knob_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

std::string OutOfRange(const KnobRow& row, int64_t value) {
  const std::string steps = row.range.step == 1 ? "" : fmt::format(" in steps of {}", row.range.step);
  return fmt::format("{}={} is not within {} and {}{}", row.name, value, row.range.least, row.range.most, steps);
}

// Work that takes two threads ten microseconds.
constexpr double kSmallFlops = 1e6;
constexpr std::string_view kWorkers = "workers";

std::vector<int64_t> Workers(const Workload& workload, const MachineModel& machine) {
  if (machine.threads < 2 || workload.Flops() > kSmallFlops * machine.threads / 2) return {};
  std::vector<int64_t> values{0};
  for (int64_t workers = 1; workers < machine.threads; workers *= 2) values.push_back(workers);
  return values;
}

}  // namespace

KnobTable::KnobTable(const Config& config) : workers(config.Get(kWorkers, 0)), config_(config) {
  constexpr KnobRange kRange{0, 4096};
  rows_.reserve(config.values().size() + 1);
  rows_.push_back({kWorkers, 0, kRange, Workers});
}

int64_t KnobTable::Row(std::string_view name, int64_t otherwise, KnobRange range, KnobValues values) {
  rows_.insert(rows_.end() - 1, {name, otherwise, range, values});
  return ValueAt(rows_.size() - 2);
}

// Most configs come from Space and have their knobs in the order of the rows, so the knob is tried there first.
int64_t KnobTable::ValueAt(size_t place) const {
  const auto& named = config_.values();
  const KnobRow& row = rows_[place];
  if (place < named.size() && named[place].first == row.name) return named[place].second;
  return config_.Get(row.name, row.otherwise);
}

ConfigSpace KnobTable::Space(const Workload& workload, const MachineModel& machine) const {
  std::vector<Knob> knobs;
  for (const KnobRow& row : rows_) {
    std::vector<int64_t> values = row.values(workload, machine);
    if (!values.empty()) knobs.push_back({std::string(row.name), std::move(values)});
  }
  return ConfigSpace(std::move(knobs));
}

std::optional<std::string> KnobTable::UnknownKnob() const {
  for (size_t i = 0; i < config_.values().size(); ++i) {
    const std::string& name = config_.values()[i].first;
    if (i < rows_.size() && rows_[i].name == name) continue;
    if (std::any_of(rows_.begin(), rows_.end(), [&](const KnobRow& row) { return row.name == name; })) continue;
    std::vector<std::string_view> names;
    for (const KnobRow& row : rows_) names.push_back(row.name);
    return fmt::format("{} is not a knob; there are {}", name, fmt::join(names, ", "));
  }
  return std::nullopt;
}

std::optional<std::string> KnobTable::Refusal() const {
  if (auto unknown = UnknownKnob()) return unknown;
  for (size_t place = 0; place < rows_.size(); ++place) {
    const int64_t value = ValueAt(place);
    if (!rows_[place].range.Holds(value)) return OutOfRange(rows_[place], value);
  }
  return std::nullopt;
}

}  // namespace hone
