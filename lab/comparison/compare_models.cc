#include "lab/comparison/compare_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/likeness.h"
#include "lab/model/options_of_each.h"

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
  for (const ModelOptions& one : OptionsOfEach(names, details)) {
    models.push_back({one.model, LoadModel(one).typed, {}});
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

namespace {

struct Price {
  std::string who;
  double per_hour = 0;
};

Price ParsePrice(const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string_view hour = "/h";
  std::optional<float> money;
  if (equals != std::string::npos && text.ends_with(hour)) {
    money = ParseFloat(std::string_view(text).substr(equals + 1, text.size() - equals - 1 - hour.size()));
  }
  if (!money || *money <= 0 || equals == 0) {
    throw Error(ExitCode::kUsage, fmt::format("--price is given \"{}\"; right is KEY=0.17/h", text));
  }
  return {text.substr(0, equals), static_cast<double>(*money)};
}

}  // namespace

bool IsNamed(const ComparedDevice& device, const std::string& name) {
  return device.keys.contains(name) || device.labels.contains(name) || device.hosts.contains(name) ||
         device.short_id == name || (!device.short_id.empty() && "#" + device.short_id == name);
}

void SetPrices(const std::vector<std::string>& texts, Comparison& comparison) {
  std::vector<std::string> price_of(comparison.devices.size());  // the text that gave it
  for (const std::string& text : texts) {
    const Price price = ParsePrice(text);
    bool found = false;
    std::set<std::string> names;
    for (size_t i = 0; i < comparison.devices.size(); ++i) {
      ComparedDevice& device = comparison.devices[i];
      names.insert(device.name);
      if (!IsNamed(device, price.who)) continue;
      if (!price_of[i].empty() && device.price_per_hour != price.per_hour) {
        throw Error(
            ExitCode::kUsage,
            fmt::format("--price {} overrides --price {}: both are of the row {}{}; one price is right", text,
                        price_of[i], device.name,
                        device.runners.size() > 1 ? ", whose machines are exact copies (--device takes one)" : ""));
      }
      price_of[i] = text;
      device.price_per_hour = price.per_hour;
      found = true;
    }
    if (!found) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--price {}: no device has the device key, label, host or id {}; there are {}", text,
                              price.who, fmt::join(names, ", ")));
    }
  }
}

}  // namespace hone
