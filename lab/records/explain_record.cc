#include "lab/records/explain_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "db/setup.h"
#include "db/verdicts/best_in_setup.h"

namespace hone {
namespace {

using ValuesOfKnob = std::map<int64_t, KnobValue>;

void Add(ValuesOfKnob& values, const std::string& knob, int64_t value, int64_t ns) {
  KnobValue& seen = values[value];
  seen.knob = knob;
  seen.value = value;
  ++seen.records;
  if (seen.least_ns == 0 || ns < seen.least_ns) seen.least_ns = ns;
}

int64_t WorstLeast(const ValuesOfKnob& values) {
  int64_t worst_ns = 0;
  for (const auto& [value, seen] : values) worst_ns = std::max(worst_ns, seen.least_ns);
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
                   [](const ValuesOfKnob& a, const ValuesOfKnob& b) { return WorstLeast(a) > WorstLeast(b); });
  std::vector<KnobValue> result;
  for (const ValuesOfKnob& values : order) {
    for (const auto& [value, seen] : values) result.push_back(seen);
  }
  return result;
}

namespace {

void CheckExplainable(const Record& record) {
  const Measurement& m = record.measurement;
  if (m.fate != Fate::kOk || m.MinNs() <= 0) {
    throw Error(ExitCode::kUsage, fmt::format("record {} has no time, its fate is {}{}{}", record.id, FateName(m.fate),
                                              m.message.empty() ? "" : ": ", m.message));
  }
  const Schedule* schedule = FindSchedule(record.candidate.schedule);
  if (schedule == nullptr || schedule->version() != record.schedule_version) {
    throw Error(ExitCode::kUsage, fmt::format("record {} is of {} version {}, which this hone cannot compile",
                                              record.id, record.candidate.schedule, record.schedule_version));
  }
}

MachineRoofs RoofsOf(const Record& record) {
  ComparedDevice device;
  device.machine = FingerprintOf(record.measurement.environment).ToText();
  device.target = record.candidate.target;
  device.threads = record.threads;
  return RoofsKnownHere()(device);
}

std::string ConfigName(const Candidate& candidate) { return candidate.schedule + " " + candidate.config.ToText(); }

ExplainedKernel Explained(const std::string& what, const Candidate& candidate, int64_t ns) {
  return {what, candidate, ns, FindHotLoop(CompileAssembly(candidate))};
}

// The least time of every config among comparable records.
std::map<std::string, const Record*> LeastByConfig(const std::vector<Record>& records, const Record& of) {
  std::map<std::string, const Record*> least;
  for (const Record& record : records) {
    const Measurement& m = record.measurement;
    if (m.fate != Fate::kOk || m.noisy || m.MinNs() <= 0 || !Comparable(record, of)) continue;
    const Record*& held = least[ConfigName(record.candidate)];
    if (held == nullptr || m.MinNs() < held->measurement.MinNs()) held = &record;
  }
  return least;
}

// The best config of another kernel that this hone can compile, by the records of the same setup; without any the
// analytic default.
ExplainedKernel Other(const std::vector<BestRow>& ranked, const Record& record) {
  for (const BestRow& row : ranked) {
    const Schedule* schedule = FindSchedule(row.schedule());
    if (row.candidate == ConfigName(record.candidate) || schedule == nullptr ||
        schedule->version() != row.schedule_version) {
      continue;
    }
    Candidate candidate = record.candidate;
    candidate.schedule = row.schedule();
    candidate.config = Config::Parse(row.config());
    return Explained("the best other", candidate, NsInSetup(ranked, row.candidate));
  }
  const DefaultConfig analytic = AnalyticDefault(record.candidate.workload, MachineModelFor(record.candidate.target));
  Candidate candidate = record.candidate;
  candidate.schedule = analytic.schedule->name();
  candidate.config = analytic.config;
  return Explained("the default", candidate, 0);
}

Json LoopJson(const ExplainedKernel& kernel) {
  return {{"what", kernel.what},
          {"schedule", kernel.candidate.schedule},
          {"config", kernel.candidate.config.ToText()},
          {"ns", kernel.ns},
          {"instructions", kernel.loop.instructions},
          {"multiply_adds", kernel.loop.multiply_adds},
          {"loads", kernel.loop.loads},
          {"stores", kernel.loop.stores},
          {"prefetches", kernel.loop.prefetches},
          {"spilled", kernel.loop.stack},
          {"assembly", kernel.loop.lines}};
}

}  // namespace

Explanation ExplainRecord(const Record& record, const RecordStore& store) {
  CheckExplainable(record);
  RecordQuery query;
  query.workload = record.candidate.workload.ToText();
  const std::vector<Record> records = store.Find(query);
  Explanation e;
  e.record = record;
  e.bounds =
      BoundsOf(record.candidate, record.threads, RoofsOf(record), static_cast<double>(record.measurement.MinNs()));
  e.knobs = KnobInfluence(records, record);
  const auto least = LeastByConfig(records, record);
  e.configs = static_cast<int64_t>(least.size());
  for (const auto& [name, held] : least) {
    const int64_t ns = held->measurement.MinNs();
    if (ns < record.measurement.MinNs() && name != ConfigName(record.candidate)) ++e.faster;
    const bool own_schedule =
        held->candidate.schedule == record.candidate.schedule && held->schedule_version == record.schedule_version;
    if (own_schedule && (e.least_ns == 0 || ns < e.least_ns)) e.least_ns = ns;
  }
  const SharedSetup setup(SetupOf(record));
  const std::vector<BestRow> ranked =
      RankInSetup(store.Rows(query.workload), [&](const BestRow& row) { return row.setup == setup; });
  if (!ranked.empty()) {
    e.best_ns = ranked.front().worth_ns;
    e.best_id = ranked.front().id.text();
  }
  e.kernels.push_back({"this record", record.candidate, record.measurement.MinNs(), e.bounds.loop});
  e.kernels.push_back(Other(ranked, record));
  return e;
}

Json ExplanationJson(const Explanation& e) {
  Json knobs = Json::array(), kernels = Json::array();
  for (const KnobValue& k : e.knobs) {
    knobs.push_back(
        {{"knob", k.knob}, {"value", k.value}, {"records", k.records}, {"least_ns", k.least_ns}, {"own", k.own}});
  }
  for (const ExplainedKernel& kernel : e.kernels) kernels.push_back(LoopJson(kernel));
  return {{"record", e.record.id},
          {"workload", e.record.candidate.workload.ToText()},
          {"min_ns", e.record.measurement.MinNs()},
          {"configs", e.configs},
          {"faster", e.faster},
          {"roofline", BoundsJson(e.bounds)},
          {"least_ns", e.least_ns},
          {"best", {{"record", e.best_id}, {"ns", e.best_ns}}},
          {"knobs", knobs},
          {"kernels", kernels}};
}

}  // namespace hone
