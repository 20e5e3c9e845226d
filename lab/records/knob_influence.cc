#include "lab/records/knob_influence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "db/setup.h"

namespace hone {
namespace {

using ValuesOfKnob = std::map<int64_t, KnobValue>;

void Add(ValuesOfKnob& values, const std::string& knob, int64_t value, int64_t ns) {
  KnobValue& seen = values[value];
  seen.knob = knob;
  seen.value = value;
  ++seen.records;
  if (seen.best_ns == 0 || ns < seen.best_ns) seen.best_ns = ns;
}

int64_t WorstBest(const ValuesOfKnob& values) {
  int64_t worst_ns = 0;
  for (const auto& [value, seen] : values) worst_ns = std::max(worst_ns, seen.best_ns);
  return worst_ns;
}

}  // namespace

bool Comparable(const Record& a, const Record& b) {
  return a.candidate.workload == b.candidate.workload && SetupOf(a) == SetupOf(b);
}

std::vector<KnobValue> KnobInfluence(const std::vector<Record>& records, const Record& of) {
  std::map<std::string, ValuesOfKnob> knobs;
  for (const Record& record : records) {
    const Measurement& m = record.measurement;
    const bool same_schedule =
        record.candidate.schedule == of.candidate.schedule && record.schedule_version == of.schedule_version;
    if (m.fate != Fate::kOk || m.noisy || m.MinNs() <= 0 || !same_schedule || !Comparable(record, of)) continue;
    for (const auto& [knob, value] : record.candidate.config.values()) Add(knobs[knob], knob, value, m.MinNs());
  }
  std::vector<ValuesOfKnob> order;
  for (auto& [knob, values] : knobs) {
    for (const auto& [own, value] : of.candidate.config.values()) {
      if (own == knob && values.contains(value)) values[value].own = true;
    }
    if (values.size() > 1) order.push_back(std::move(values));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const ValuesOfKnob& a, const ValuesOfKnob& b) { return WorstBest(a) > WorstBest(b); });
  std::vector<KnobValue> result;
  for (const ValuesOfKnob& values : order) {
    for (const auto& [value, seen] : values) result.push_back(seen);
  }
  return result;
}

}  // namespace hone
