#include "lab/comparison/compare_models.h"

#include "lab/comparison/likeness.h"
#include "lab/comparison/prices.h"
#include "lab/comparison/roofs_of_devices.h"

namespace hone {
namespace {

std::vector<StoreDevice> WantedDevices(const RecordStore& store, const RecordComparisonOptions& options) {
  RecordQuery query;
  query.device = options.device;
  if (options.machine.threads > 0) query.threads = options.machine.threads;
  std::vector<StoreDevice> devices = DevicesOf(store, query);
  if (options.machine.target.empty()) return devices;
  const Target target = ResolveMachine(options.machine).context.target;
  std::erase_if(devices, [&](const StoreDevice& found) { return found.device.target.cpu != target.cpu; });
  return devices;
}

}  // namespace

std::vector<ModelToCompare> LoadModels(const std::vector<std::string>& names, const ModelOptions& details) {
  std::vector<ModelToCompare> models;
  for (const std::string& name : names) {
    ModelOptions one = details;
    one.model = name;
    models.push_back({name, LoadModel(one).typed});
  }
  return models;
}

ComparisonReport CompareModels(const RecordStore& store, const std::vector<ModelToCompare>& models,
                               const RecordComparisonOptions& options) {
  CompareRecordsOptions compare;
  compare.context = ContextOf(options.machine);
  compare.roofs = RoofsKnownHere();
  ComparisonReport report;
  report.accepted = ParseLikenessNames(options.accept, "--accept");
  report.comparison = CompareRecords(store, WantedDevices(store, options), models, compare);
  SetPrices(options.prices, report.comparison);
  std::vector<std::vector<size_t>> comparable;
  for (size_t model = 0; model < models.size(); ++model) {
    comparable.push_back(ComparableDevices(report.comparison, model, report.accepted));
  }
  report.portability = PortabilityFromRecords(store, report.comparison, comparable);
  return report;
}

std::set<std::string> LayerNames(const Comparison& c) {
  std::set<std::string> names;
  for (const auto& row : c.cells) {
    for (const ComparedCell& cell : row) {
      for (const ComparedLayer& layer : cell.layers) {
        if (layer.has_knobs) names.insert(layer.name);
      }
    }
  }
  return names;
}

}  // namespace hone
