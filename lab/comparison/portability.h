// The cost of one machine's best configurations on another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/measure_packages.h"

namespace hone {

// One machine's configurations on another one, over the layers with both times known.
struct PortedTime {
  int64_t own_ns = 0;      // with the device's own best configurations
  int64_t ported_ns = 0;   // with the other's configurations, on this device
  int layers = 0, of = 0;  // layers with both times known, of the device's layers with knobs
  int failed = 0;          // layers whose configuration gave no correct result there
  // For a package: the 95 % confidence interval and samples of ported_ns, and why its code does not run there, else
  // empty.
  int64_t low_ns = 0, high_ns = 0;
  int samples = 0;
  std::string why_not;
  // own_ns / ported_ns, at most 1, because a faster foreign configuration only shows that the own search missed it. 0
  // if a layer failed; nullopt if nothing is known.
  std::optional<double> Efficiency() const;
  bool complete() const { return layers + failed == of; }
};

// Portability of one model among devices that differ only in the machine.
struct Portability {
  // kRecord: sums of layers, each with the other's configuration compiled for the device. kPackage: the other's package
  // as a whole.
  TimeOrigin origin = TimeOrigin::kRecord;
  std::vector<size_t> devices;                 // indices into the comparison's devices
  std::vector<std::vector<PortedTime>> times;  // [whose configurations][on which device], indices into `devices`
};

// Pennycook's metric: the harmonic mean of the efficiencies on all platforms of a set. It is 0 if one is 0, which means
// that the application does not run there. nullopt for an empty set. (Pennycook, Sewall and Lee, "A Metric for
// Performance Portability", PMBS 2016, equation 1.)
std::optional<double> PerformancePortability(const std::vector<double>& efficiencies);

// The metric of one device's configurations over all devices, with application efficiency: each platform's best is its
// own configurations. nullopt if a layer's time is unknown for some pair.
std::optional<double> PerformancePortability(const Portability& p, size_t whose);
// The metric of the model tuned for each device, with architectural efficiency: the share of its multiply-add roof that
// it reaches, at most 1. nullopt if a device has no time.
std::optional<double> TunedPortability(const Comparison& c, size_t model, const std::vector<size_t>& devices);

// Devices with times comparable with the model's reference (StandingsOf), in their order.
std::vector<size_t> ComparableDevices(const Comparison& c, size_t model, const std::set<std::string>& accepted);

// Uses the records that devices have of each other's best configurations. Reads the store's keys once.
std::vector<Portability> PortabilityFromRecords(const RecordStore& store, const Comparison& c,
                                                const std::vector<std::vector<size_t>>& devices_of_model);

// Uses packages that were timed on each other's machines. `c` is the comparison of measured.own, whose devices are the
// machines in their order.
std::vector<Portability> PortabilityFromPackages(const MeasuredPackages& measured, const Comparison& c,
                                                 const std::vector<std::vector<size_t>>& devices_of_model);

}  // namespace hone
