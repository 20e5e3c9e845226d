#include "lab/bench/compare_runtimes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/stats/statistics.h"
#include "core/text/parse_number.h"
#include "lab/bench/time_runtimes.h"
#include "lab/comparison/compare_models.h"
#include "lab/machine/device_name.h"
#include "lab/machine/package_there.h"

namespace hone {
namespace {

void SetPricesOf(const std::vector<std::string>& prices, std::vector<RuntimesOnMachine>& all) {
  Comparison devices;
  for (const RuntimesOnMachine& on : all) {
    ComparedDevice device;
    device.name = RunnerName(on.machine);
    device.keys = {on.machine.key};
    device.labels = {on.machine.label};
    device.hosts = {on.machine.host};
    devices.devices.push_back(std::move(device));
  }
  SetPrices(prices, devices);
  for (size_t i = 0; i < all.size(); ++i) all[i].price_per_hour = devices.devices[i].price_per_hour;
}

// The consecutive parts that have one model.
template <typename Use>
void ForEachModel(const std::vector<RuntimesOnMachine>& all, const Use& use) {
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].model == all[begin].model) ++end;
    use(std::vector<RuntimesOnMachine>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                       all.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

std::vector<std::string> NotesOf(const RuntimesOnMachine& on) {
  const std::string text = RuntimesNotes(on.runtimes);
  std::vector<std::string> notes;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) notes.emplace_back(line);
  }
  return notes;
}

}  // namespace

std::vector<RuntimesOnMachine> CompareRuntimes(const CompareRuntimesOptions& options) {
  std::vector<std::vector<RuntimesOnMachine>> by_model(options.models.size());
  for (const std::string& key : options.keys) {
    RemoteRunnerOptions remote = options.remote;
    remote.key = key;
    const std::unique_ptr<Runner> runner = OneRunner(remote);
    for (size_t model = 0; model < options.models.size(); ++model) {
      RuntimesThereOptions there = options.there;
      there.model.model = options.models[model];
      RuntimesOnMachine on;
      on.model = options.models[model];
      on.runtimes = TimeRuntimesThere(there, *runner, &on.machine);
      if (!on.runtimes.empty()) on.images = ImagesOf(on.runtimes[0].timed);
      by_model[model].push_back(std::move(on));
    }
  }
  std::vector<RuntimesOnMachine> all;
  for (std::vector<RuntimesOnMachine>& machines : by_model)
    std::move(machines.begin(), machines.end(), std::back_inserter(all));
  SetPricesOf(options.prices, all);
  return all;
}

double PriceOfMillion(const RuntimesOnMachine& on, const RuntimeTimes& runtime) {
  if (runtime.timed.rounds.empty()) return 0;
  const auto run_ns = static_cast<double>(StatisticsOf(runtime.timed.samples_ns).median_ns);
  constexpr double kHourNs = 3.6e12;
  return on.price_per_hour * run_ns / kHourNs * 1e6 / static_cast<double>(on.images);
}

Json RuntimesJson(const std::vector<RuntimesOnMachine>& all) {
  Json models = Json::array();
  ForEachModel(all, [&](const std::vector<RuntimesOnMachine>& machines) {
    Json rows = Json::array();
    for (const RuntimesOnMachine& on : machines) {
      Json runtimes = Json::array();
      for (const RuntimeTimes& runtime : on.runtimes) {
        runtimes.push_back(ToJson(runtime));
        if (const double price = PriceOfMillion(on, runtime); price > 0) runtimes.back()["price_per_million"] = price;
      }
      rows.push_back({{"name", RunnerName(on.machine)},
                      {"key", on.machine.key},
                      {"label", on.machine.label},
                      {"machine", ToJson(on.machine)},
                      {"price_per_hour", on.price_per_hour},
                      {"runtimes", std::move(runtimes)},
                      {"notes", NotesOf(on)}});
    }
    models.push_back({{"model", machines[0].model}, {"images", machines[0].images}, {"machines", std::move(rows)}});
  });
  return {{"models", std::move(models)}};
}

}  // namespace hone
