#include "lab/comparison/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/machine/fingerprint.h"
#include "lab/comparison/compare_records.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/environment.h"

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
  if (device.price_per_hour <= 0 || cell.time.ns <= 0 || cell.covered < cell.tasks) return 0;
  constexpr double kHourNs = 3600e9;
  const double runs_an_hour = kHourNs / static_cast<double>(cell.time.ns);
  return static_cast<double>(model.images) * runs_an_hour / device.price_per_hour;
}

double PriceOfMillion(const Comparison& c, size_t device, size_t model) {
  const double images = ImagesPerMoney(c.devices[device], c.models[model], c.At(device, model));
  return images > 0 ? 1e6 / images : 0;
}

namespace {

// A roof measured while other programs keep the machine busy is too low to be one.
constexpr double kCredible = 0.25;  // share of the assumed roof

// Whether rows of `a` threads tell more about `threads` than those of `b`.
bool IsNearer(int a, int b, int threads) {
  const bool enough = a >= threads, b_enough = b >= threads;
  if (enough != b_enough) return enough;
  return enough ? a < b : a > b;
}

}  // namespace

MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads) {
  if (roofs.empty()) return {};
  const auto nearer = [&](const Roof& a, const Roof& b) { return IsNearer(a.threads, b.threads, threads); };
  const int rows_threads = std::min_element(roofs.begin(), roofs.end(), nearer)->threads;
  MachineRoofs greatest{0, 0, true};
  for (const Roof& roof : roofs) {
    if (roof.threads != rows_threads) continue;
    greatest.gflops = std::max(greatest.gflops, roof.gflops);
    greatest.read_gbps = std::max(greatest.read_gbps, roof.read_gbps);
  }
  return greatest;
}

std::optional<MachineRoofs> CredibleRoofs(const std::vector<Roof>& measured, const ComparedDevice& device) {
  const MachineRoofs roofs = RoofFor(measured, device.threads), assumed = AssumedRoofs(device);
  const bool credible =
      roofs.measured && roofs.gflops >= kCredible * assumed.gflops && roofs.read_gbps >= kCredible * assumed.read_gbps;
  return credible ? std::optional(roofs) : std::nullopt;
}

std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere() {
  const Environment here = ProbeEnvironment();
  const std::string machine = FingerprintOf(here).ToText();
  const auto measured = std::make_shared<std::optional<std::vector<Roof>>>();
  return [=](const ComparedDevice& device) {
    if (device.machine != machine || device.threads > here.cores) return AssumedRoofs(device);
    if (!measured->has_value()) *measured = RoofsOfThisMachine({}, here);
    return CredibleRoofs(**measured, device).value_or(AssumedRoofs(device));
  };
}

}  // namespace hone
