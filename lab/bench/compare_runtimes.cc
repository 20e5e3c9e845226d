#include "lab/bench/compare_runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/stats/statistics.h"
#include "core/text/parse_number.h"
#include "core/version.h"
#include "lab/bench/time_runtimes.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/comparison_text.h"
#include "lab/machine/device_name.h"
#include "lab/machine/package_there.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

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

std::string CellText(const RuntimesOnMachine& on, const RuntimeTimes& runtime) {
  if (runtime.timed.rounds.empty()) return "not timed";
  std::string text = fmt::format("{}, {}, {:.0e}", TimeText(StatisticsOf(runtime.timed.samples_ns).median_ns),
                                 runtime.precision, runtime.error);
  if (const double price = PriceOfMillion(on, runtime); price > 0) text += fmt::format(", {}/M", MoneyText(price));
  return text + (runtime.fastest ? " fastest" : runtime.doubt.empty() ? "" : " ?");
}

std::vector<std::string> HeadersOf(const RuntimesOnMachine& on) {
  std::vector<std::string> headers = {"machine"};
  for (const RuntimeTimes& runtime : on.runtimes) headers.push_back("> " + runtime.name);
  return headers;
}

std::vector<std::string> RowOf(const RuntimesOnMachine& on) {
  std::vector<std::string> row = {RunnerName(on.machine)};
  for (const RuntimeTimes& runtime : on.runtimes) row.push_back(CellText(on, runtime));
  return row;
}

const char* const kLegend = "median, precision, largest error of an output";

std::string LegendOf(const std::vector<RuntimesOnMachine>& all) {
  const bool prices = std::any_of(all.begin(), all.end(), [](const auto& on) { return on.price_per_hour > 0; });
  return std::string(kLegend) + (prices ? ", price of a million images" : "");
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

std::string RuntimeTablesText(const std::vector<RuntimesOnMachine>& all, size_t columns) {
  std::string text;
  ForEachModel(all, [&](const std::vector<RuntimesOnMachine>& machines) {
    Table table(HeadersOf(machines[0]));
    std::string notes;
    for (const RuntimesOnMachine& on : machines) {
      table.Add(RowOf(on));
      notes += fmt::format("{}:\n{}", RunnerName(on.machine), RuntimesNotes(on.runtimes));
    }
    text += fmt::format("{}{} ({})\n{}{}", text.empty() ? "" : "\n", machines[0].model, LegendOf(machines),
                        table.ToText(columns), notes);
  });
  return text;
}

std::string RuntimesPage(const std::vector<RuntimesOnMachine>& all) {
  std::string body;
  ForEachModel(all, [&](const std::vector<RuntimesOnMachine>& machines) {
    std::vector<std::vector<std::string>> rows;
    std::string notes;
    for (const RuntimesOnMachine& on : machines) {
      rows.push_back(RowOf(on));
      const std::string of_machine = RuntimesNotes(on.runtimes);
      for (const std::string_view line : Split(of_machine, '\n')) {
        if (!line.empty()) notes += HtmlParagraph(fmt::format("{}: {}", RunnerName(on.machine), line));
      }
    }
    body += HtmlSection(machines[0].model, HtmlParagraph("Cells: " + LegendOf(machines) + ".") +
                                               HtmlTable("Runtimes on machines", HeadersOf(machines[0]), rows) + notes);
  });
  return HtmlPage("Runtimes on machines",
                  fmt::format("Made by hone {}. Each runtime had the same file, inputs and threads, in turns, and its "
                              "outputs were compared with a float64 reference first.",
                              HoneVersion()),
                  body);
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
      rows.push_back({{"key", on.machine.key},
                      {"label", on.machine.label},
                      {"machine", ToJson(on.machine)},
                      {"price_per_hour", on.price_per_hour},
                      {"runtimes", std::move(runtimes)}});
    }
    models.push_back({{"model", machines[0].model}, {"images", machines[0].images}, {"machines", std::move(rows)}});
  });
  return {{"models", std::move(models)}};
}

}  // namespace hone
