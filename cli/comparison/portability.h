// What the best configurations of one machine cost on another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/comparison/comparison.h"
#include "cli/comparison/measure_packages.h"
#include "db/record_store.h"

namespace hone {

// One machine's configurations on another one, over the layers for which both are known.
struct PortedTime {
  int64_t own_ns = 0;      // of the device's own best configurations
  int64_t ported_ns = 0;   // of the others' on it
  int layers = 0, of = 0;  // that both times are known of, of the device's layers with knobs
  int failed = 0;          // layers whose configuration gave no right result there
  // Of a package: ported_ns' 95 % interval and samples, and why its code does not run there, else empty.
  int64_t low_ns = 0, high_ns = 0;
  int samples = 0;
  std::string why_not;
  // own_ns / ported_ns, at most 1: what a lucky foreign configuration gains is the own search's fault. 0 where one
  // failed; nullopt where nothing is known.
  std::optional<double> Efficiency() const;
  bool complete() const { return layers + failed == of; }
};

// Of one model, among devices that are alike but for the machine.
struct Portability {
  // kRecord: sums of layers, each the other's configuration compiled for the device. kPackage: what was built for the
  // other, as a whole.
  TimeOrigin origin = TimeOrigin::kRecord;
  std::vector<size_t> devices;                 // of the comparison
  std::vector<std::vector<PortedTime>> times;  // [whose configurations][on which device], places in `devices`
};

// Pennycook's metric: the harmonic mean of the efficiencies on all platforms of a set, 0 where one is 0, that is where
// the application does not run. nullopt for none. (Pennycook, Sewall and Lee, "A Metric for Performance Portability",
// PMBS 2016, equation 1.)
std::optional<double> PerformancePortability(const std::vector<double>& efficiencies);

// Of the device's configurations over all devices: application efficiency, the best of each platform being its own
// configurations. nullopt where some layer's time of some pair is not known.
std::optional<double> PerformancePortability(const Portability& p, size_t whose);
// Of the model tuned for each device: architectural efficiency, the share of its roof of multiply-adds that it reaches.
// nullopt where a device has no time.
std::optional<double> TunedPortability(const Comparison& c, size_t model, const std::vector<size_t>& devices);

// The devices that have times comparable with the model's reference (StandingsOf), in their order.
std::vector<size_t> ComparableDevices(const Comparison& c, size_t model, const std::set<std::string>& accepted);

// From the records that devices have of each other's best configurations. One pass over the store's keys.
std::vector<Portability> PortabilityFromRecords(const RecordStore& store, const Comparison& c,
                                                const std::vector<std::vector<size_t>>& devices_of_model);

// From packages that were timed on each other's machines: `c` is the comparison of measured.own, whose devices are the
// machines in their order.
std::vector<Portability> PortabilityFromPackages(const MeasuredPackages& measured, const Comparison& c,
                                                 const std::vector<std::vector<size_t>>& devices_of_model);

}  // namespace hone
