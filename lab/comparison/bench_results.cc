#include "lab/comparison/bench_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/codegen/target/machine_target.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "core/machine/fingerprint.h"
#include "core/machine/llvm_cpu_name.h"
#include "lab/bench_format.h"
#include "lab/comparison/compare_records.h"
#include "lab/comparison/comparison.h"
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

namespace {

const Json* Find(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nullptr : &*found;
}

std::string TextOr(const Json& object, const char* key, const std::string& otherwise) {
  const Json* field = Find(object, key);
  return field != nullptr && field->is_string() ? field->get<std::string>() : otherwise;
}

double NumberOr(const Json& object, const char* key, double otherwise) {
  const Json* field = Find(object, key);
  return field != nullptr && field->is_number() ? field->get<double>() : otherwise;
}

int64_t WholeOr(const Json& object, const char* key, int64_t otherwise) {
  const Json* field = Find(object, key);
  return field != nullptr && field->is_number_integer() ? field->get<int64_t>() : otherwise;
}

const Json& List(const Json& object, const char* key) {
  static const Json none = Json::array();
  const Json* field = Find(object, key);
  return field != nullptr && field->is_array() ? *field : none;
}

double BytesOf(const Workload& workload) {
  const auto bytes = [](const Shape& shape, DType type) {
    return static_cast<double>(ElementCount(shape)) * static_cast<double>(DTypeBytes(type));
  };
  return bytes(workload.data, workload.types.data) + bytes(workload.weight, workload.types.weight) +
         bytes(workload.OutputShape(), workload.types.output);
}

ComparedLayer LayerOf(const Json& call) {
  ComparedLayer layer;
  layer.op = TextOr(call, "op", "");
  for (const Json& node : List(call, "nodes")) {
    if (node.is_string()) layer.nodes.push_back(node.get<std::string>());
  }
  const int64_t ns = WholeOr(call, "median_ns", WholeOr(call, "min_ns", 0));
  layer.time = {ns, ns, ns, 0};
  layer.schedule = TextOr(call, "schedule", "");
  layer.config = TextOr(call, "config", "");
  layer.flops = NumberOr(call, "gflops", 0) * static_cast<double>(ns);
  layer.name = TextOr(call, "workload", "");
  layer.has_knobs = !layer.name.empty();
  if (layer.has_knobs) {
    const Workload workload = Workload::Parse(layer.name);
    layer.precision = PrecisionOf(workload);
    layer.flops = workload.Flops();
    layer.bytes = BytesOf(workload);
  } else {
    layer.name = layer.nodes.empty() ? layer.op : fmt::format("{} {}", layer.op, layer.nodes.front());
  }
  return layer;
}

// The reported roofs if they are credible, else those assumed for the machine's kind of CPU.
MachineRoofs RoofsOf(const Environment& machine, int threads) {
  const std::vector<Roof> told = ParseRoofsText(machine.roofs);
  ComparedDevice device;
  device.threads = threads;
  try {
    device.target = TargetOf(machine);
  } catch (const Error&) {
    return RoofFor(told, threads);
  }
  return CredibleRoofs(told, device).value_or(AssumedRoofs(device));
}

PackageTimes PackageOf(const Json& package, const Json& result, const std::string& name) {
  const Json *machine = Find(result, "machine"), *conditions = Find(result, "conditions");
  if (machine == nullptr || conditions == nullptr) {
    throw Error(ExitCode::kBadData, fmt::format("{} has no machine or no conditions", name));
  }
  PackageTimes timed;
  timed.model = TextOr(package, "model", "");
  timed.machine = EnvironmentFromJson(*machine);
  timed.images = std::max<int64_t>(1, WholeOr(package, "images", 1));
  timed.threads = static_cast<int>(WholeOr(package, "threads", 1));
  timed.roofs = RoofsOf(timed.machine, timed.threads);
  timed.cache = TextOr(*conditions, "cache", "");
  timed.precision = TextOr(package, "precision", "");
  timed.hone_version = TextOr(package, "hone_version", "");
  timed.flops = NumberOr(package, "flops", 0);
  timed.joules_per_image = std::max(0.0, NumberOr(package, "joules_per_image", 0));
  timed.time.ns = WholeOr(package, "median_ns", 0);
  const Json& interval = List(package, "median_ci95_ns");
  const bool has_interval = interval.size() == 2 && interval[0].is_number_integer() && interval[1].is_number_integer();
  timed.time.low_ns = has_interval ? interval[0].get<int64_t>() : timed.time.ns;
  timed.time.high_ns = has_interval ? interval[1].get<int64_t>() : timed.time.ns;
  timed.time.samples = static_cast<int>(WholeOr(package, "runs", 0));
  if (timed.model.empty() || timed.time.ns <= 0) {
    throw Error(ExitCode::kBadData, fmt::format("{} has a package without model or median_ns", name));
  }
  std::vector<ComparedLayer> calls;
  for (const Json& call : List(package, "per_op")) calls.push_back(LayerOf(call));
  timed.layers = JoinLayers(calls);
  if (const Json* noise = Find(result, "noise"); noise != nullptr) {
    std::vector<std::string> notes;
    for (const Json& note : List(*noise, "notes")) {
      if (note.is_string()) notes.push_back(note.get<std::string>());
    }
    timed.why_noisy = fmt::format("{}", fmt::join(notes, "; "));
  }
  return timed;
}

}  // namespace

std::vector<PackageTimes> ReadBenchResult(std::string_view json, const std::string& name) {
  const size_t begin = json.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string_view::npos && json[begin] == '{';
  const Json result = is_json ? ParseJson(json, name) : Json::object();
  if (TextOr(result, "format", "") != kBenchFormat || WholeOr(result, "version", 0) != kBenchVersion) {
    throw Error(
        ExitCode::kBadData,
        fmt::format("{} is no bench result of version {}; `hone bench P.hone --json` prints one", name, kBenchVersion));
  }
  if (const Json* conditions = Find(result, "conditions");
      conditions != nullptr && TextOr(*conditions, "mode", "latency") != "latency") {
    throw Error(ExitCode::kUsage, fmt::format("{} is of throughput; latencies are compared", name));
  }
  std::vector<PackageTimes> packages;
  for (const Json& package : List(result, "packages")) packages.push_back(PackageOf(package, result, name));
  return packages;
}

}  // namespace hone
