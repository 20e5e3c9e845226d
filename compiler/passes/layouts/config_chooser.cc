#include "compiler/passes/layouts/config_chooser.h"

#include <algorithm>

#include "compiler/passes/graph/anchor_result.h"
#include "compiler/passes/layouts/ranged_kernels.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {
namespace {

// The separator is a zero byte, the only one that names cannot contain.
std::string ChoiceKey(const std::string& workload, const std::vector<std::string>& nodes) {
  std::string key = workload;
  for (const std::string& node : nodes) key += '\0' + node;
  return key;
}

bool SameKernel(const ConfigChoice& a, const ConfigChoice& b) {
  return a.schedule == b.schedule && a.config.ToText() == b.config.ToText();
}

bool SameKernels(const ChosenConfigs::Layer& a, const ChosenConfigs::Layer& b) {
  return SameKernel(a.choice, b.choice) &&
         std::equal(a.variants.begin(), a.variants.end(), b.variants.begin(), b.variants.end(), SameKernel);
}

ConfigChoice ChoiceIn(const Dispatch& dispatch) {
  return {dispatch.schedule, Config::Parse(dispatch.config), dispatch.source, dispatch.record, dispatch.expected_ns};
}

}  // namespace

ChosenConfigs::ChosenConfigs(const Plan& plan) {
  for (const PlanCall& call : plan.calls) {
    const Dispatch& dispatch = Nth(plan.kernels, call.kernel).dispatch;
    if (dispatch.workload.empty()) continue;
    Layer layer{ChoiceIn(dispatch), {}};
    for (const CallVariant& variant : call.variants) {
      layer.variants.push_back(ChoiceIn(Nth(plan.kernels, variant.kernel).dispatch));
    }
    const auto [it, is_new] = layers_.try_emplace(ChoiceKey(dispatch.workload, call.nodes), layer);
    if (!is_new && it->second && !SameKernels(*it->second, layer)) it->second.reset();
  }
}

const ChosenConfigs::Layer* ChosenConfigs::For(const Workload& workload, const std::vector<std::string>& nodes) const {
  const auto it = layers_.find(ChoiceKey(workload.ToText(), nodes));
  return it == layers_.end() || !it->second ? nullptr : &*it->second;
}

namespace {

bool TransformsWeights(const Schedule& schedule, const Workload& workload, const Config& config) {
  return schedule.Operands(workload, config, Epilogue()).at(1).layout.winograd_tile() != 0;
}

LayoutPair LayoutsOf(const ConfigChoice& choice, const Workload& workload) {
  return LayoutPairOf(*FindSchedule(choice.schedule), workload, choice.config);
}

// The choices with measured times, given that the first one has a time.
std::vector<PairChoice> Measured(std::vector<ConfigChoice> known, const Workload& workload) {
  std::vector<PairChoice> all;
  const int64_t best_ns = known.front().expected_ns;
  for (ConfigChoice& choice : known) {
    const LayoutPair layouts = LayoutsOf(choice, workload);
    const auto cost_ns = static_cast<double>(std::max(choice.expected_ns, best_ns));
    all.push_back({layouts, std::move(choice), cost_ns});
  }
  return all;
}

bool Has(const std::vector<PairChoice>& all, const LayoutPair& layouts) {
  return std::any_of(all.begin(), all.end(), [&](const PairChoice& choice) { return choice.layouts == layouts; });
}

ConfigChoice AsChoice(const DefaultConfig& best) {
  return {std::string(best.schedule->name()), best.config, "default", "", 0};
}

}  // namespace

bool ConfigChooser::Allowed(const Schedule& schedule, const Workload& workload, const Config& config,
                            const CallNeeds& needs) const {
  if ((context_.build.exact_math || needs.exact_sums) && !schedule.exact()) return false;
  return needs.constant_weights || !TransformsWeights(schedule, workload, config);
}

ConfigChooser::ConfigChooser(const PassContext& context, MachineModel machine, const NeededResults* needed)
    : context_(context), machine_(std::move(machine)), needed_(needed) {}

const std::vector<PairChoice>* ConfigChooser::Given(const Workload& workload, const CallNeeds& needs,
                                                    const std::vector<std::string>& nodes) {
  if (context_.chosen == nullptr) return nullptr;
  const ChosenConfigs::Layer* layer = context_.chosen->For(workload, nodes);
  if (layer == nullptr || !Valid(layer->choice, workload, needs)) return nullptr;
  const auto [it, is_new] = given_.try_emplace(layer);
  if (!is_new) return &it->second;
  it->second = {{LayoutsOf(layer->choice, workload), layer->choice, 0}};
  for (const ConfigChoice& variant : layer->variants) it->second.front().variants.push_back({variant, {}});
  return &it->second;
}

const std::vector<PairChoice>& ConfigChooser::For(const Workload& workload, const CallNeeds& needs,
                                                  const std::vector<std::string>& nodes,
                                                  const std::vector<NeededResult>& parts) {
  if (const std::vector<PairChoice>* given = Given(workload, needs, nodes)) return *given;
  const bool ranged = parts.size() > 1;
  const std::tuple key{workload.ToText(), needs, ranged ? parts : std::vector<NeededResult>()};
  const auto known = choices_.find(key);
  if (known != choices_.end()) return known->second;
  return choices_.emplace(key, ranged ? ChooseForRange(workload, needs, parts) : Choose(workload, needs)).first->second;
}

bool ConfigChooser::Valid(const ConfigChoice& choice, const Workload& workload, const CallNeeds& needs) const {
  const bool exact = context_.build.exact_math || needs.exact_sums;
  return !WhyUnusable(workload, machine_, choice.schedule, choice.config, exact) &&
         Allowed(*FindSchedule(choice.schedule), workload, choice.config, needs);
}

std::vector<ConfigChoice> ConfigChooser::Known(const Workload& workload, const CallNeeds& needs,
                                               const Workload& asked) const {
  if (context_.configs == nullptr) return {};
  const auto class_of = [&](const std::string& name, const Config& config) -> std::optional<std::string> {
    const ConfigChoice choice{name, config, "", "", 0};
    if (!Valid(choice, workload, needs)) return std::nullopt;
    const std::vector<KernelOperand> operands = FindSchedule(name)->Operands(workload, config, Epilogue());
    std::string layouts = operands.front().layout.ToText() + " " + operands.back().layout.ToText();
    if (asked != workload) layouts += " " + operands.at(1).layout.ToText();
    return layouts;
  };
  const BuildContext& build = context_.build;
  std::vector<ConfigChoice> known = context_.configs->ChooseEach(asked, build.target, build.threads, class_of);
  std::erase_if(known, [&](const ConfigChoice& choice) { return !Valid(choice, workload, needs); });
  return known;
}

std::vector<PairChoice> ConfigChooser::Choose(const Workload& workload, const CallNeeds& needs) const {
  std::vector<ConfigChoice> known = Known(workload, needs, workload);
  // A choice without a time cannot be compared with others, so it is taken.
  if (!known.empty() && known.front().expected_ns <= 0) {
    return {{LayoutsOf(known.front(), workload), known.front(), 0}};
  }
  std::vector<PairChoice> all;
  double scale = 1, least_ns = 0;
  if (!known.empty()) {
    // Scales the other estimates by the ratio of measured time to estimate of the best. None may cost less than the
    // best measured time.
    const ConfigChoice& best = known.front();
    least_ns = static_cast<double>(best.expected_ns);
    scale = least_ns / FindSchedule(best.schedule)->EstimateNs(workload, machine_, best.config);
    all = Measured(std::move(known), workload);
  }
  const bool measured = !all.empty();
  const auto allowed = [&](const Schedule& schedule, const Config& config) {
    return Allowed(schedule, workload, config, needs);
  };
  for (const PairDefault& other : LayoutDefaults(workload, machine_, allowed)) {
    if (Has(all, other.layouts)) continue;
    all.push_back({other.layouts, AsChoice(other.best), std::max(scale * other.best.estimate_ns, least_ns)});
  }
  if (!measured) {
    const auto cheapest = std::min_element(
        all.begin(), all.end(), [](const PairChoice& a, const PairChoice& b) { return a.cost_ns < b.cost_ns; });
    std::rotate(all.begin(), cheapest, cheapest + 1);
  }
  return all;
}

std::vector<PairChoice> ConfigChooser::ChooseForRange(const Workload& workload, const CallNeeds& needs,
                                                      const std::vector<NeededResult>& parts) const {
  const auto allowed = [&](const Schedule& schedule, const Config& config) {
    return Allowed(schedule, workload, config, needs);
  };
  RangedKernels kernels(workload, machine_, parts, needs.constant_weights, allowed);
  for (size_t part = 0; part < parts.size(); ++part) {
    kernels.AddKnown(part, Known(workload, needs, WithResult(workload, parts[part].shape)));
  }
  return kernels.Choose(context_.variant_gain);
}

}  // namespace hone
