#include "lab/comparison/compare_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/layers.h"
#include "core/stats/sample_statistics.h"
#include "core/text/parse_number.h"
#include "lab/comparison/comparison.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

ComparedDevice DeviceOf(const TrialRow& row) {
  ComparedDevice device;
  device.setup = SetupKey(row);
  device.machine = row.device.empty() ? MachineName(row) : row.fingerprint;
  device.short_id = row.device;
  device.cpu_model = ModelName(row);
  device.llvm_cpu = row.llvm_cpu;
  device.target.triple = row.triple;
  device.target.cpu = row.cpu;
  for (const std::string_view feature : Split(row.features, ',')) {
    if (!feature.empty()) device.target.features.emplace_back(feature);
  }
  device.threads = row.threads;
  device.cache = CacheModeName(row.cache);
  device.emulated = row.emulated;
  return device;
}

void AddPlace(const TrialRow& row, ComparedDevice& device) {
  device.runners.insert(RunnerName(row));
  device.hosts.insert(row.host);
  if (row.key.empty()) return;
  device.keys.insert(row.key);
  device.labels.insert(row.label);
}

}  // namespace

std::vector<StoreDevice> DevicesOf(const RecordStore& store, const RecordQuery& query) {
  std::vector<StoreDevice> devices;
  std::unordered_map<std::string, size_t> index;
  store.EachTrial(query, [&](const TrialRow& row) {
    const auto [it, is_new] = index.try_emplace(SetupKey(row), devices.size());
    if (is_new) devices.push_back({DeviceOf(row), {}});
    StoreDevice& found = devices[it->second];
    AddPlace(row, found.device);
    found.workloads[row.workload].Add(row);
  });
  for (StoreDevice& found : devices) {
    const std::string& id = found.device.short_id;
    const std::string machine = id.empty() ? found.device.machine : fmt::format("{} #{}", found.device.cpu_model, id);
    found.device.name = DeviceName(machine, found.device.runners);
  }
  return devices;
}

namespace {

class RecordComparison {
 public:
  RecordComparison(const RecordStore& store, const std::vector<ModelToCompare>& models,
                   const CompareRecordsOptions& options)
      : store_(store), models_(models), options_(options) {}

  Comparison Of(const std::vector<StoreDevice>& devices) {
    for (const ModelToCompare& model : models_) {
      const int64_t images = model.images > 0 ? model.images : ImagesOf(model.typed);
      comparison_.models.push_back({model.name, images, model.layers != nullptr});
    }
    const std::vector<BestByWorkload> best = BestOf(devices);
    for (size_t device = 0; device < devices.size(); ++device) Add(devices[device], best[device]);
    return std::move(comparison_);
  }

 private:
  struct LayerBest {
    std::string id;
    bool noisy = false;  // there are only noisy ones
  };
  using BestByWorkload = std::unordered_map<std::string, LayerBest>;

  // By device. Each workload's rows are read once, and held for no longer than that.
  std::vector<BestByWorkload> BestOf(const std::vector<StoreDevice>& devices) {
    std::set<std::string> workloads;
    for (const StoreDevice& found : devices) {
      for (size_t model = 0; model < models_.size(); ++model) {
        for (const Layer& layer : LayersOf(found.device, model)) {
          if (layer.workload && found.workloads.contains(layer.name)) workloads.insert(layer.name);
        }
      }
    }
    std::vector<BestByWorkload> all(devices.size());
    for (const std::string& workload : workloads) {
      const std::vector<BestRow> rows = store_.Rows(workload);
      for (size_t device = 0; device < devices.size(); ++device) {
        const auto trials = devices[device].workloads.find(workload);
        if (trials == devices[device].workloads.end()) continue;
        const auto best = trials->second.Best(rows);
        if (const auto row = best ? best : trials->second.Noisy(rows)) all[device][workload] = {row->id.text(), !best};
      }
    }
    return all;
  }

  void Add(const StoreDevice& found, const BestByWorkload& best) {
    ComparedDevice device = found.device;
    roofs_told_.clear();
    std::vector<ComparedCell> row(models_.size());
    for (size_t model = 0; model < models_.size(); ++model) {
      for (const Layer& layer : LayersOf(device, model))
        row[model].layers.push_back(LayerOf(layer, found, best, device));
    }
    device.roofs = RoofsOf(device);
    for (ComparedCell& cell : row) Complete(device, cell);
    if (std::none_of(row.begin(), row.end(), [](const ComparedCell& cell) { return cell.covered > 0; })) return;
    comparison_.devices.push_back(std::move(device));
    comparison_.cells.push_back(std::move(row));
  }

  static void Complete(const ComparedDevice& device, ComparedCell& cell) {
    for (ComparedLayer& layer : cell.layers) {
      if (!layer.has_knobs) Estimate(device, layer);
    }
    cell.origin = TimeOrigin::kRecord;
    SumLayers(cell);
  }

  MachineRoofs RoofsOf(const ComparedDevice& device) const {
    std::vector<Roof> told;
    for (const std::string& text : roofs_told_) {
      for (Roof& roof : ParseRoofsText(text)) told.push_back(std::move(roof));
    }
    if (const auto measured = CredibleRoofs(told, device)) return *measured;
    return options_.roofs ? options_.roofs(device) : AssumedRoofs(device);
  }

  const std::vector<Layer>& LayersOf(const ComparedDevice& device, size_t model) {
    BuildContext context = options_.context;
    context.target = device.target;
    context.threads = device.threads;
    const auto [it, is_new] = layers_.try_emplace({device.target.ToText() + fmt::format(" {}", device.threads), model});
    const ModelToCompare& one = models_[model];
    if (is_new) it->second = one.layers ? one.layers(context) : ExtractLayers(one.typed, context);
    return it->second;
  }

  ComparedLayer LayerOf(const Layer& layer, const StoreDevice& found, const BestByWorkload& best,
                        ComparedDevice& device) {
    ComparedLayer compared;
    compared.name = layer.name;
    compared.op = layer.op;
    compared.nodes = layer.nodes;
    compared.has_knobs = layer.workload.has_value();
    compared.uses = layer.uses;
    compared.flops = layer.flops;
    compared.bytes = layer.bytes;
    if (!layer.workload) return compared;
    compared.precision = PrecisionOf(*layer.workload);
    if (const auto trials = found.workloads.find(layer.name); trials != found.workloads.end()) {
      compared.trials = static_cast<int>(trials->second.records());
    }
    if (const auto chosen = best.find(layer.name); chosen != best.end()) {
      compared.noisy = chosen->second.noisy;
      if (const auto record = store_.Get(chosen->second.id)) TakeRecord(*record, device, compared);
    }
    return compared;
  }

  static void Estimate(const ComparedDevice& device, ComparedLayer& layer) {
    if (device.roofs.read_gbps <= 0) return;
    const int64_t ns = std::max<int64_t>(1, std::llround(layer.bytes / device.roofs.read_gbps));
    layer.time = {ns, ns, ns, 0};
    layer.origin = TimeOrigin::kEstimate;
    layer.schedule = "generic";
  }

  void TakeRecord(const Record& record, ComparedDevice& device, ComparedLayer& layer) {
    const std::vector<int64_t>& samples = record.measurement.samples_ns;
    const int64_t least_ns = record.measurement.MinNs();
    layer.time = {least_ns, least_ns, std::max(least_ns, MedianOf(samples).high), static_cast<int>(samples.size())};
    layer.origin = TimeOrigin::kRecord;
    layer.schedule = record.candidate.schedule;
    layer.config = record.candidate.config.ToText();
    layer.source = "record";
    layer.hone_version = record.hone_version;
    layer.worst_error = record.measurement.worst_error;
    device.environment = record.measurement.environment;
    if (!device.environment.roofs.empty()) roofs_told_.insert(device.environment.roofs);
  }

  const RecordStore& store_;
  const std::vector<ModelToCompare>& models_;
  const CompareRecordsOptions& options_;
  Comparison comparison_;
  std::map<std::pair<std::string, size_t>, std::vector<Layer>> layers_;  // by code and threads, and model
  std::set<std::string> roofs_told_;                                     // by the records of the device being added
};

}  // namespace

Comparison CompareRecords(const RecordStore& store, const std::vector<StoreDevice>& devices,
                          const std::vector<ModelToCompare>& models, const CompareRecordsOptions& options) {
  return RecordComparison(store, models, options).Of(devices);
}

MachineRoofs AssumedRoofs(const ComparedDevice& device) {
  const MachineModel model = MachineModelFor(device.target, device.threads);
  const double flops_per_cycle = 2 * model.vector_lanes * model.multiply_adds_per_cycle;
  MachineRoofs roofs;
  roofs.gflops = flops_per_cycle * model.clock_ghz * device.threads;
  roofs.read_gbps = (device.threads > 1 ? model.shared_bytes_per_cycle : model.cold_bytes_per_cycle) * model.clock_ghz;
  return roofs;
}

int64_t ImagesOf(const relay::IRModule& typed) {
  if (typed.main == nullptr) return 1;
  const auto& params = typed.main->params;
  if (params.empty() || params.front()->type == nullptr || params.front()->type->shape.empty()) return 1;
  return std::max<int64_t>(1, params.front()->type->shape.front());
}

std::string PrecisionOf(const Workload& workload) {
  const ElementTypes& types = workload.types;
  const bool narrow = types.data == DType::kBFloat16 || types.output == DType::kBFloat16;
  return std::string(DTypeName(narrow ? DType::kBFloat16 : types.weight));
}

}  // namespace hone
