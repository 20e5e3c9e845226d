// The kernels of an anchor of whose result runs need parts of different sizes.
//
// Short runs want other register tiles than long ones. All kernels of a call read their operands in the same layouts:
//
//   part of 512 rows     8     32     128     512
//   layouts A            1.3   1.1    1.0     1.0      times the least of all at that size: the best of these layouts
//   layouts B            1.0   1.0    1.0     1.05     the least sum: B, with one kernel up to 8 rows and one beyond
//
// Only a convolution's weights may be packed more than once. That has a price, which grows with the bytes that are
// added. Winograd's weights are several times the plain ones, so plain ones beside them are cheap.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/layouts/config_chooser.h"

namespace hone {

// A kernel and its time for each part.
struct PartKernel {
  ConfigChoice choice;
  std::vector<double> ns;
};

// The kernel that each part takes. They have the least cost: the sum of all parts' times, each in units of `unit_ns`.
// A part whose kernel is another one than the next one's adds `change(its kernel, the next one's)`.
struct PartChoices {
  std::vector<size_t> kernel_of;
  double cost = 0;
};
using KernelChange = std::function<double(const PartKernel& smaller, const PartKernel& larger)>;
PartChoices ChooseForParts(const std::vector<PartKernel>& kernels, const std::vector<double>& unit_ns,
                           const KernelChange& change);

class RangedKernels {
 public:
  using Allowed = std::function<bool(const Schedule& schedule, const Config& config)>;

  // The last of the parts is the whole result; estimates are for `machine`. `constant_weights`: whether a convolution
  // may pack its weights more than once.
  RangedKernels(const Workload& workload, const MachineModel& machine, const std::vector<NeededResult>& parts,
                bool constant_weights, Allowed allowed);

  // Adds a source's choices for the workload of a part, its best first. Each is valid and allowed. A choice without a
  // time is taken for the part wherever its layouts are.
  void AddKnown(size_t part, std::vector<ConfigChoice> known);

  // For each pair of layouts of data and output, the best kernels and the parts that they serve, the cheapest pair
  // first: with the least mean of the parts' times, each over the part's least. Parts whose shares are known weigh as
  // much as they take of all runs' time. Another kernel must gain `least_gain` of a part's time.
  std::vector<PairChoice> Choose(double least_gain) const;

 private:
  struct Scored;
  Config Ending(const Schedule& schedule, Config config) const;
  double EstimateNs(const Schedule& schedule, const Config& config, const Shape& part) const;
  double PanelsAgainNs(const Schedule& schedule, const Workload& workload, const Config& config) const;
  std::string SharedLayouts(const ConfigChoice& choice) const;
  double ChangeCost(const PartKernel& smaller, const PartKernel& larger, double least_gain) const;
  const PartKernel* KnownAt(size_t part, const ConfigChoice& choice) const;
  const ConfigChoice& ChoiceAt(size_t part, const ConfigChoice& choice) const;
  double CostNs(const Schedule& schedule, const Config& config, size_t part) const;
  std::vector<Scored> Candidates() const;
  Shape LimitBetween(const PartKernel& smaller, const PartKernel& larger, const Shape& from, const Shape& to) const;
  std::vector<Shape> LimitsOf(size_t first, size_t end, const PartKernel& smaller, const PartKernel& larger) const;
  std::vector<double> UnitsNs(const std::vector<double>& least_ns) const;
  ConfigChoice ChoiceFor(size_t first, size_t end, const ConfigChoice& choice) const;
  PairChoice PairOf(const std::vector<PartKernel>& kernels, const PartChoices& choices) const;

  const Workload& workload_;
  const MachineModel& machine_;
  MachineModel warm_;  // whose weights are never cold
  std::vector<Shape> parts_;
  std::vector<double> shares_;  // of the runs, by part
  bool ends_columns_ = false;   // of a convolution, in some part
  bool several_weights_;        // kernels of one call may read weights in layouts of their own
  Allowed allowed_;
  std::vector<double> scales_, floors_ns_;  // of estimates, by part
  std::vector<PartKernel> known_;           // ns is 0 where nothing is known
};

}  // namespace hone
