#include "lab/comparison/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hone {

std::string_view TimeOriginName(TimeOrigin origin) {
  switch (origin) {
    case TimeOrigin::kMissing:
      return "missing";
    case TimeOrigin::kRecord:
      return "record";
    case TimeOrigin::kPackage:
      return "package";
    case TimeOrigin::kEstimate:
      return "estimate";
  }
  return "missing";
}

void SumLayers(ComparedCell& cell) {
  ComparedTime sum;
  std::set<std::string> precisions;
  for (const ComparedLayer& layer : cell.layers) {
    cell.flops += layer.uses * layer.flops;
    cell.bytes += layer.uses * layer.bytes;
    cell.tasks += layer.has_knobs;
    cell.covered += layer.has_knobs && layer.time.ns > 0;
    cell.noisy = cell.noisy || layer.noisy;
    if (!layer.precision.empty()) precisions.insert(layer.precision);
    if (!layer.hone_version.empty()) cell.versions.insert(layer.hone_version);
    if (layer.origin == TimeOrigin::kEstimate) cell.estimated_ns += layer.uses * layer.time.ns;
    sum.ns += layer.uses * layer.time.ns;
    sum.low_ns += layer.uses * layer.time.low_ns;
    sum.high_ns += layer.uses * layer.time.high_ns;
    if (layer.time.samples > 0)
      sum.samples = sum.samples == 0 ? layer.time.samples : std::min(sum.samples, layer.time.samples);
  }
  cell.precision = fmt::format("{}", fmt::join(precisions, "+"));
  if (cell.noisy && cell.why_noisy.empty()) cell.why_noisy = "layers whose records are all noisy";
  if (cell.origin == TimeOrigin::kRecord) cell.time = cell.covered > 0 ? sum : ComparedTime();
}

double GflopsOf(double flops, int64_t ns) { return ns > 0 ? flops / static_cast<double>(ns) : 0; }

double FmaShare(const MachineRoofs& roofs, double flops, int64_t ns) {
  return roofs.gflops > 0 ? GflopsOf(flops, ns) / roofs.gflops : 0;
}

double BandwidthShare(const MachineRoofs& roofs, double bytes, int64_t ns) {
  return roofs.read_gbps > 0 && ns > 0 ? bytes / static_cast<double>(ns) / roofs.read_gbps : 0;
}

double ImagesPerMoney(const ComparedDevice& device, const ComparedModel& model, const ComparedCell& cell) {
  if (device.price_per_hour <= 0 || cell.time.ns <= 0) return 0;
  constexpr double kHourNs = 3600e9;
  const double runs_an_hour = kHourNs / static_cast<double>(cell.time.ns);
  return static_cast<double>(model.images) * runs_an_hour / device.price_per_hour;
}

}  // namespace hone
