#include "lab/comparison/portability.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/failure.h"
#include "lab/comparison/compare_records.h"
#include "lab/comparison/likeness.h"

namespace hone {
namespace {

std::string CandidateKey(const std::string& workload, const std::string& schedule, const std::string& config) {
  return workload + "\n" + schedule + " " + config;
}

std::string CandidateKey(const ComparedLayer& layer) { return CandidateKey(layer.name, layer.schedule, layer.config); }

// Known results of a candidate on a device.
struct CandidateOutcome {
  int64_t least_ns = 0;
  bool failed = false;
};

// Whether the fate says that the candidate does not work there, and not only that the trial went wrong.
bool IsRefusal(Fate fate) {
  return fate != Fate::kOk && fate != Fate::kRunnerLost && fate != Fate::kCancelled && fate != Fate::kTimedOut;
}

bool IsRefusal(const RecordStore& store, const TrialRow& row) {
  if (!IsRefusal(row.fate)) return false;
  if (std::ranges::find(kFatesThatMayBlame, row.fate) == kFatesThatMayBlame.end()) return true;
  const std::optional<Record> record = store.Get(row.id);
  return !record || !BlamesForMachine(row.fate, record->measurement.message);
}

// Outcomes by setup, then by candidate, of the candidates that are the best somewhere.
using Outcomes = std::map<std::string, std::unordered_map<std::string, CandidateOutcome>>;

Outcomes OutcomesOf(const RecordStore& store, const Comparison& c) {
  std::set<std::string> workloads, wanted;
  Outcomes outcomes;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    outcomes[c.devices[device].setup];
    for (const ComparedCell& cell : c.cells[device]) {
      for (const ComparedLayer& layer : cell.layers) {
        if (!layer.has_knobs || layer.time.ns <= 0) continue;
        workloads.insert(layer.name);
        wanted.insert(CandidateKey(layer));
      }
    }
  }
  RecordQuery query;
  query.workloads.assign(workloads.begin(), workloads.end());
  if (workloads.empty()) return outcomes;
  store.EachTrial(query, [&](const TrialRow& row) {
    const std::string candidate = CandidateKey(row.workload, row.schedule, row.config);
    if (!wanted.contains(candidate)) return;
    const auto found = outcomes.find(SetupKey(row));
    if (found == outcomes.end()) return;
    CandidateOutcome& outcome = found->second[candidate];
    if (!outcome.failed && IsRefusal(store, row)) outcome.failed = true;
    const bool is_time = row.fate == Fate::kOk && !row.noisy && row.min_ns > 0;
    if (is_time && (outcome.least_ns == 0 || row.min_ns < outcome.least_ns)) outcome.least_ns = row.min_ns;
  });
  return outcomes;
}

PortedTime Ported(const ComparedCell& from, const ComparedCell& to,
                  const std::unordered_map<std::string, CandidateOutcome>& there) {
  std::map<std::string, const ComparedLayer*> by_name;
  for (const ComparedLayer& layer : from.layers) by_name[layer.name] = &layer;
  PortedTime ported;
  ported.of = to.tasks;
  for (const ComparedLayer& own : to.layers) {
    const auto layer = by_name.find(own.name);
    if (!own.has_knobs || own.time.ns <= 0 || layer == by_name.end() || layer->second->time.ns <= 0) continue;
    const bool same = CandidateKey(own) == CandidateKey(*layer->second);
    const auto outcome = there.find(CandidateKey(*layer->second));
    const bool known = same || (outcome != there.end() && outcome->second.least_ns > 0);
    if (known) {
      ++ported.layers;
      ported.own_ns += own.uses * own.time.ns;
      ported.ported_ns += own.uses * (same ? own.time.ns : outcome->second.least_ns);
    } else if (outcome != there.end() && outcome->second.failed) {
      ++ported.failed;
    }
  }
  return ported;
}

// A package is timed as a whole, so its result holds for all of its layers.
PortedTime OfPackage(const ComparedCell& on, const PortedPackage* ported) {
  PortedTime time;
  time.of = std::max(on.tasks, 1);
  if (ported == nullptr) return time;
  if (ported->time.ns <= 0) {
    time.failed = time.of;
    time.why_not = ported->why_not;
    return time;
  }
  time.layers = time.of;
  time.own_ns = on.time.ns;
  time.ported_ns = ported->time.ns;
  time.low_ns = ported->time.low_ns;
  time.high_ns = ported->time.high_ns;
  time.samples = ported->time.samples;
  return time;
}

PortedTime OfPackages(const MeasuredPackages& measured, const Comparison& c, size_t model, size_t from, size_t to) {
  const ComparedCell& on = c.At(to, model);
  const PortedPackage own{model, to, to, on.time, ""};
  if (from == to) return OfPackage(on, &own);
  const auto found = std::find_if(measured.ported.begin(), measured.ported.end(), [&](const PortedPackage& ported) {
    return ported.model == model && ported.whose == from && ported.on == to;
  });
  return OfPackage(on, found == measured.ported.end() ? nullptr : &*found);
}

}  // namespace

std::optional<double> PortedTime::Efficiency() const {
  if (failed > 0) return 0;
  if (ported_ns <= 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(own_ns) / static_cast<double>(ported_ns));
}

std::optional<double> PerformancePortability(const std::vector<double>& efficiencies) {
  if (efficiencies.empty()) return std::nullopt;
  double sum = 0;
  for (const double efficiency : efficiencies) {
    if (efficiency <= 0) return 0;
    sum += 1 / efficiency;
  }
  return static_cast<double>(efficiencies.size()) / sum;
}

std::optional<double> PerformancePortability(const Portability& p, size_t whose) {
  std::vector<double> efficiencies;
  for (const PortedTime& on : p.times.at(whose)) {
    const std::optional<double> efficiency = on.Efficiency();
    if (!efficiency || !on.complete()) return std::nullopt;
    efficiencies.push_back(*efficiency);
  }
  return PerformancePortability(efficiencies);
}

std::optional<double> TunedPortability(const Comparison& c, size_t model, const std::vector<size_t>& devices) {
  std::vector<double> efficiencies;
  for (const size_t device : devices) {
    const ComparedCell& cell = c.At(device, model);
    if (cell.time.ns <= 0 || cell.covered < cell.tasks || c.devices[device].roofs.gflops <= 0) return std::nullopt;
    // Winograd needs fewer multiplications than are counted, but no application reaches more than its platform has.
    efficiencies.push_back(std::min(1.0, FmaShare(c.devices[device].roofs, cell.flops, cell.time.ns)));
  }
  return PerformancePortability(efficiencies);
}

std::vector<size_t> ComparableDevices(const Comparison& c, size_t model, const std::set<std::string>& accepted) {
  std::vector<size_t> devices;
  const std::vector<Standing> standings = StandingsOf(c, model, accepted);
  for (size_t device = 0; device < standings.size(); ++device) {
    if (standings[device].ratio > 0) devices.push_back(device);
  }
  return devices;
}

std::vector<Portability> PortabilityFromRecords(const RecordStore& store, const Comparison& c,
                                                const std::vector<std::vector<size_t>>& devices_of_model) {
  const Outcomes outcomes = OutcomesOf(store, c);
  std::vector<Portability> all;
  for (size_t model = 0; model < c.models.size(); ++model) {
    Portability p;
    p.devices = devices_of_model.at(model);
    for (const size_t from : p.devices) {
      p.times.emplace_back();
      for (const size_t to : p.devices) {
        p.times.back().push_back(Ported(c.At(from, model), c.At(to, model), outcomes.at(c.devices[to].setup)));
      }
    }
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<Portability> PortabilityFromPackages(const MeasuredPackages& measured, const Comparison& c,
                                                 const std::vector<std::vector<size_t>>& devices_of_model) {
  std::vector<Portability> all;
  for (size_t model = 0; model < c.models.size(); ++model) {
    Portability p;
    p.origin = TimeOrigin::kPackage;
    p.devices = devices_of_model.at(model);
    for (const size_t from : p.devices) {
      p.times.emplace_back();
      for (const size_t to : p.devices) p.times.back().push_back(OfPackages(measured, c, model, from, to));
    }
    all.push_back(std::move(p));
  }
  return all;
}

}  // namespace hone
