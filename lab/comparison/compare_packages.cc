#include "lab/comparison/compare_packages.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "core/machine/fingerprint.h"
#include "core/machine/llvm_cpu_name.h"
#include "lab/comparison/compare_records.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

std::string ModelName(const Environment& machine) {
  return machine.cpu_model.empty() ? LlvmCpuOf(machine) : machine.cpu_model;
}

ComparedDevice DeviceOf(const PackageTimes& timed) {
  const Environment& machine = timed.machine;
  const Fingerprint fingerprint = FingerprintOf(machine);
  ComparedDevice device;
  device.short_id = fingerprint.ShortId();
  device.cpu_model = ModelName(machine);
  const std::string name =
      device.short_id.empty() ? device.cpu_model : fmt::format("{} #{}", device.cpu_model, device.short_id);
  device.machine = fingerprint.known() ? fingerprint.ToText() : name;
  device.runners = {RunnerName(machine)};
  device.hosts = {machine.host};
  if (!machine.key.empty()) {
    device.keys = {machine.key};
    device.labels = {machine.label};
  }
  device.name = DeviceName(name, device.runners);
  device.llvm_cpu = LlvmCpuOf(machine);
  device.target = timed.target;
  device.threads = timed.threads;
  device.cache = timed.cache;
  device.emulated = machine.emulated;
  device.environment = machine;
  device.roofs = timed.roofs;
  // Runners stand for machines here, because two runners of one kind were asked for as two machines.
  device.setup = fmt::format("{}\n{}\n{}\n{}\n{}", device.machine, RunnerName(machine), timed.target.ToText(),
                             timed.threads, timed.cache);
  return device;
}

ComparedCell CellOf(const PackageTimes& timed) {
  ComparedCell cell;
  cell.layers = timed.layers;
  for (ComparedLayer& layer : cell.layers) {
    layer.origin = layer.time.ns > 0 ? TimeOrigin::kPackage : TimeOrigin::kMissing;
  }
  cell.origin = TimeOrigin::kPackage;
  cell.time = timed.time;
  SumLayers(cell);
  if (timed.flops > 0) cell.flops = timed.flops;
  cell.joules_per_image = timed.joules_per_image;
  if (!timed.precision.empty()) cell.precision = timed.precision;
  // The package was timed as a whole, whether or not its calls were timed.
  cell.covered = cell.tasks;
  cell.versions = {timed.hone_version};
  cell.noisy = !timed.why_noisy.empty();
  cell.why_noisy = timed.why_noisy;
  return cell;
}

// The index of the key; `make` adds an entry if the key is new.
template <typename Make>
size_t PlaceOf(std::map<std::string, size_t>& index, const std::string& key, const Make& make) {
  const auto [it, is_new] = index.try_emplace(key, index.size());
  if (is_new) make();
  return it->second;
}

}  // namespace

std::vector<ComparedLayer> JoinLayers(const std::vector<ComparedLayer>& calls) {
  std::vector<ComparedLayer> layers;
  std::unordered_map<std::string, size_t> index;
  for (const ComparedLayer& call : calls) {
    const auto [it, is_new] = index.try_emplace(call.name, layers.size());
    if (is_new) {
      layers.push_back(call);
      continue;
    }
    ComparedLayer& layer = layers[it->second];
    const int uses = layer.uses + call.uses;
    const auto mean = [&](int64_t a, int64_t b) { return (layer.uses * a + call.uses * b) / uses; };
    layer.time.ns = mean(layer.time.ns, call.time.ns);
    layer.time.low_ns = mean(layer.time.low_ns, call.time.low_ns);
    layer.time.high_ns = mean(layer.time.high_ns, call.time.high_ns);
    layer.uses = uses;
    layer.nodes.insert(layer.nodes.end(), call.nodes.begin(), call.nodes.end());
  }
  return layers;
}

Comparison ComparePackages(const std::vector<PackageTimes>& packages) {
  Comparison c;
  std::map<std::string, size_t> rows, columns;
  std::vector<std::pair<size_t, size_t>> places;
  for (const PackageTimes& timed : packages) {
    const ComparedDevice device = DeviceOf(timed);
    const size_t row = PlaceOf(rows, device.setup, [&] { c.devices.push_back(device); });
    const size_t column = PlaceOf(columns, timed.model, [&] { c.models.push_back({timed.model, timed.images}); });
    places.emplace_back(row, column);
  }
  c.cells.assign(c.devices.size(), std::vector<ComparedCell>(c.models.size()));
  for (size_t i = 0; i < packages.size(); ++i) c.cells[places[i].first][places[i].second] = CellOf(packages[i]);
  return c;
}

}  // namespace hone
