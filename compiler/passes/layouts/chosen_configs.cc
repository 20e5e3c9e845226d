#include "compiler/passes/layouts/chosen_configs.h"

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

}  // namespace

ChosenConfigs::ChosenConfigs(const Plan& plan) {
  for (const PlanCall& call : plan.calls) {
    const Dispatch& dispatch = Nth(plan.kernels, call.kernel).dispatch;
    if (dispatch.workload.empty()) continue;
    ConfigChoice choice{dispatch.schedule, Config::Parse(dispatch.config), dispatch.source, dispatch.record,
                        dispatch.expected_ns};
    const auto [it, is_new] = choices_.try_emplace(ChoiceKey(dispatch.workload, call.nodes), choice);
    if (!is_new && it->second && !SameKernel(*it->second, choice)) it->second.reset();
  }
}

const ConfigChoice* ChosenConfigs::For(const Workload& workload, const std::vector<std::string>& nodes) const {
  const auto it = choices_.find(ChoiceKey(workload.ToText(), nodes));
  return it == choices_.end() || !it->second ? nullptr : &*it->second;
}

}  // namespace hone
