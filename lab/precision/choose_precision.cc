#include "lab/precision/choose_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/nth.h"
#include "core/text/printable.h"
#include "lab/precision/choose_assignment.h"
#include "lab/precision/network_timer.h"

namespace hone {
namespace {

constexpr int kMostBudgetTries = 8;
// If the error reaches this share of the budget, the search does not try a looser one.
constexpr double kWellUsed = 0.8;
// Share of the budget that the next try aims at.
constexpr double kAim = 0.9;
// Cost of converting a value between kernels: a float32 read and a byte written, at one core's memory rate.
constexpr double kBytesPerNs = 10, kConvertedShare = 1.25;

struct Network {
  TriedNetwork tried;
  Assignment assignment;
  PrecisionNetwork network;
  BuildResult built;
  NetworkTime time;
};

class PrecisionSearch {
 public:
  PrecisionSearch(const PrecisionModels& models, double max_error, const PrecisionTools& tools)
      : models_(models), max_error_(max_error), tools_(tools) {}

  ChosenPrecision Run(const std::string& why_not_bfloat16) {
    Begin();
    if (max_error_ > 0) {
      AddWhole(LayerPrecision::kBFloat16, why_not_bfloat16);
      AddWhole(LayerPrecision::kInt8, models_.why_not_int8());
    }
    if (networks_.size() > 1) {
      TimeAll(networks_);
      SetOptions();
      for (auto& each : networks_) each->tried.expected = ExpectedOf(each->assignment);
      Mix();
      TimeAgain();
    }
    return Chosen();
  }

 private:
  void Begin() {
    chosen_.max_error = max_error_;
    chosen_.measured = tools_.timer->measures();
    chosen_.samples = models_.samples().seen.size();
    chosen_.held_out = models_.samples().held_out.size();
    for (const PrecisionLayer& layer : models_.layers()) {
      chosen_.layers.push_back({layer.name, layer.op, LayerPrecision::kFloat32, 0, 0, SignalError::kExact});
    }
    if (max_error_ > 0) {
      Tell("the reference");
      reference_ = tools_.reference();
    }
    Add("float32", models_.All(LayerPrecision::kFloat32)).tried.holds = true;
  }

  void Tell(const std::string& what) const {
    if (tools_.tell) tools_.tell(what);
  }

  // Builds and judges a network.
  Network& Add(const std::string& what, const Assignment& assignment) {
    Tell(what + ": building and judging");
    auto added = std::make_unique<Network>();
    added->tried.what = what;
    added->assignment = assignment;
    for (const PrecisionLayer& layer : models_.layers()) {
      ++Nth(added->tried.layers, static_cast<size_t>(PrecisionIn(assignment, layer.name)));
    }
    added->network = models_.NetworkOf(assignment);
    added->built = tools_.build(added->network);
    added->tried.error = LargestError(tools_.run(added->network, added->built), reference_);
    added->tried.holds = added->tried.error <= max_error_;
    networks_.push_back(std::move(added));
    return *networks_.back();
  }

  void AddWhole(LayerPrecision precision, const std::string& why_not) {
    const std::string name(LayerPrecisionName(precision));
    if (!why_not.empty()) {
      chosen_.left_out.push_back(name + ": " + why_not);
    } else {
      wholes_[precision] = networks_.size();
      Add(name, models_.All(precision));
    }
  }

  using Networks = std::vector<std::unique_ptr<Network>>;

  void TimeAll(const Networks& networks) const {
    Tell("timing " + Counted(networks.size(), "network"));
    std::vector<const BuildResult*> built;
    for (const auto& each : networks) built.push_back(&each->built);
    const std::vector<NetworkTime> times = tools_.timer->Time(built);
    for (size_t i = 0; i < networks.size(); ++i) networks[i]->time = times.at(i);
  }

  std::map<std::string, double> TimesIn(const Network& network) const {
    std::vector<std::string> names;
    for (const PrecisionLayer& layer : models_.layers()) names.push_back(layer.name);
    return LayerTimes(network.built.plan, network.time.call_ns, names);
  }

  // Time to convert the value that each layer reads.
  std::map<std::string, double> ChangesNs() const {
    const Plan& plan = networks_[0]->built.plan;
    std::map<std::string, double> changes;
    for (const PlanCall& call : plan.calls) {
      if (call.operands.empty()) continue;
      const double bytes = static_cast<double>(Nth(plan.buffers, call.operands[0].buffer).size_bytes);
      for (const std::string& node : call.nodes) changes.emplace(node, kConvertedShare * bytes / kBytesPerNs);
    }
    return changes;
  }

  void SetOptions() {
    const auto float32_ns = TimesIn(*networks_[0]);
    auto changes = ChangesNs();
    for (size_t i = 0; i < models_.layers().size(); ++i) {
      const std::string& name = models_.layers()[i].name;
      const auto known = float32_ns.find(name);
      const double ns = known == float32_ns.end() ? 0 : known->second;
      options_.push_back({name, {{LayerPrecision::kFloat32, ns, 0}}, changes[name]});
    }
    for (const auto& [precision, at] : wholes_) AddOptions(precision, *networks_[at]);
  }

  void AddOptions(LayerPrecision precision, const Network& whole) {
    const auto times = TimesIn(whole);
    const auto losses = models_.LossesIn(precision, whole.built.plan, [&](const std::string& what) {
      Tell(fmt::format("{} errors: {}", LayerPrecisionName(precision), what));
    });
    for (size_t i = 0; i < options_.size(); ++i) {
      const auto ns = times.find(options_[i].layer);
      if (!losses[i] || ns == times.end()) continue;
      options_[i].options.push_back({precision, ns->second, losses[i]->output * losses[i]->output});
      losses_[precision][options_[i].layer] = *losses[i];
    }
  }

  // Searches a budget by bisection, on a logarithmic scale, between one that held and one that did not.
  void Mix() {
    double holds = 0, fails = std::numeric_limits<double>::infinity(), inner = max_error_;
    for (int tries = 0; tries < kMostBudgetTries; ++tries) {
      const Assignment next = ChooseAssignment(options_, inner * inner);
      const Network* known = Find(next);
      const Network& network = known != nullptr ? *known : AddMixed(next);
      const double error = network.tried.error;
      (network.tried.holds ? holds : fails) = inner;
      if (network.tried.holds && (error >= kWellUsed * max_error_ || next == Unbounded())) return;
      const bool between = holds > 0 && std::isfinite(fails);
      const double aimed = std::isfinite(error) && error > 0 ? inner * kAim * max_error_ / error : inner / 4;
      inner = between ? std::sqrt(holds * fails) : std::clamp(aimed, inner / 10, inner * 10);
    }
  }

  Network& AddMixed(const Assignment& assignment) {
    Network& added = Add(fmt::format("mixed {}", ++mixed_), assignment);
    added.tried.expected = ExpectedOf(assignment);
    return added;
  }

  double ExpectedOf(const Assignment& assignment) const {
    double squared = 0;
    for (const LayerOptions& layer : options_) {
      for (const PrecisionOption& option : layer.options) {
        if (option.precision == PrecisionIn(assignment, layer.layer)) squared += option.squared_error;
      }
    }
    return std::sqrt(squared);
  }

  Assignment Unbounded() const { return ChooseAssignment(options_, std::numeric_limits<double>::infinity()); }

  const Network* Find(const Assignment& assignment) const {
    for (const auto& each : networks_) {
      if (each->assignment == assignment) return each.get();
    }
    return nullptr;
  }

  // Times the networks that hold the budget against each other.
  void TimeAgain() {
    Networks holding;
    for (auto& each : networks_) {
      if (each->tried.holds) holding.push_back(std::move(each));
    }
    TimeAll(holding);
    size_t next = 0;
    for (auto& each : networks_) {
      if (each == nullptr) each = std::move(holding[next++]);
    }
  }

  ChosenPrecision Chosen() {
    Network* best = networks_[0].get();
    for (const auto& each : networks_) {
      each->tried.ns = each->time.ns;
      if (each->tried.holds && each->time.ns < best->time.ns) best = each.get();
    }
    best->tried.taken = true;
    for (const auto& each : networks_) chosen_.tried.push_back(each->tried);
    chosen_.network = best->network;
    chosen_.is_float32 = best == networks_[0].get();
    DescribeLayers(best->assignment);
    return std::move(chosen_);
  }

  void DescribeLayers(const Assignment& assignment) {
    for (size_t i = 0; i < options_.size(); ++i) {
      LayerChoice& layer = chosen_.layers[i];
      layer.precision = PrecisionIn(assignment, layer.layer);
      layer.float32_ns = options_[i].options[0].ns;
      for (const PrecisionOption& option : options_[i].options) {
        if (option.precision == layer.precision) layer.ns = option.ns;
      }
      const auto loss = losses_[layer.precision].find(layer.layer);
      if (loss == losses_[layer.precision].end()) continue;
      layer.alone_db = loss->second.alone.sqnr_db();
      layer.output_error = loss->second.output;
    }
  }

  const PrecisionModels& models_;
  const double max_error_;
  const PrecisionTools& tools_;
  ChosenPrecision chosen_;
  Networks networks_;
  std::map<LayerPrecision, size_t> wholes_;  // index of the network
  std::vector<std::vector<Tensor>> reference_;
  std::vector<LayerOptions> options_;
  std::map<LayerPrecision, std::map<std::string, LayerLoss>> losses_;
  int mixed_ = 0;
};

}  // namespace

double ChosenPrecision::error() const {
  for (const TriedNetwork& each : tried) {
    if (each.taken) return each.error;
  }
  return 0;
}

LayerCounts CountLayers(const std::vector<LayerChoice>& layers) {
  LayerCounts counts{};
  for (const LayerChoice& layer : layers) ++Nth(counts, static_cast<size_t>(layer.precision));
  return counts;
}

PackagePrecision PackagePrecisionOf(const ChosenPrecision& chosen) {
  PackagePrecision precision;
  const LayerCounts counts = CountLayers(chosen.layers);
  precision.float32_layers = counts[0];
  precision.bfloat16_layers = counts[1];
  precision.int8_layers = counts[2];
  if (chosen.is_float32) return {};
  const int kinds = (counts[0] > 0 ? 1 : 0) + (counts[1] > 0 ? 1 : 0) + (counts[2] > 0 ? 1 : 0);
  precision.name = kinds > 1 ? "mixed" : counts[2] > 0 ? "int8" : "bfloat16";
  precision.error = chosen.error();
  precision.max_error = chosen.max_error;
  return precision;
}

ChosenPrecision ChoosePrecision(const PrecisionModels& models, double max_error, const std::string& why_not_bfloat16,
                                const PrecisionTools& tools) {
  return PrecisionSearch(models, max_error, tools).Run(why_not_bfloat16);
}

}  // namespace hone
