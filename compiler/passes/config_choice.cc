#include "compiler/passes/config_choice.h"

#include <limits>
namespace hone {
namespace {

bool TransformsWeights(const Schedule& schedule, const Workload& workload, const Config& config) {
  return schedule.Operands(workload, config, Epilogue()).at(1).layout.winograd_tile() != 0;
}

}  // namespace

bool ConfigChooser::Allowed(const Schedule& schedule, const Workload& workload, const Config& config,
                            bool constant_weights) const {
  if (context_.exact_math && schedule.tolerance() > kExactTolerance) return false;
  return constant_weights || !TransformsWeights(schedule, workload, config);
}

ConfigChooser::ConfigChooser(const PassContext& context)
    : context_(context), machine_(MachineModelFor(context.target, context.threads)) {}

const ConfigChoice& ConfigChooser::For(const Workload& workload, bool constant_weights) {
  const std::string key = workload.ToText() + (constant_weights ? "" : " weights=computed");
  const auto known = choices_.find(key);
  if (known != choices_.end()) return known->second;
  return choices_.emplace(key, Choose(workload, constant_weights)).first->second;
}

ConfigChoice ConfigChooser::Choose(const Workload& workload, bool constant_weights) const {
  const auto valid = [&](const std::string& name, const Config& config) {
    const Schedule* schedule = FindSchedule(name);
    return schedule != nullptr && schedule->Applies(workload, machine_) &&
           !schedule->Reject(workload, machine_, config).has_value() &&
           Allowed(*schedule, workload, config, constant_weights);
  };
  if (context_.configs != nullptr) {
    const auto choice = context_.configs->Choose(workload, context_.target, context_.threads, valid);
    if (choice && valid(choice->schedule, choice->config)) return *choice;
  }
  return Default(workload, constant_weights);
}

ConfigChoice ConfigChooser::Default(const Workload& workload, bool constant_weights) const {
  DefaultConfig best = AnalyticDefault(workload, machine_);
  if (!Allowed(*best.schedule, workload, best.config, constant_weights)) {
    best.estimate_ns = std::numeric_limits<double>::infinity();
    for (const Schedule* schedule : SchedulesFor(workload, machine_)) {
      const ConfigSpace space = schedule->Space(workload, machine_);
      for (int64_t i = 0; i < space.size(); ++i) {
        const Config config = space.At(i);
        if (schedule->Reject(workload, machine_, config)) continue;
        if (!Allowed(*schedule, workload, config, constant_weights)) continue;
        const double estimate_ns = schedule->EstimateNs(workload, machine_, config);
        if (estimate_ns < best.estimate_ns) best = {schedule, config, estimate_ns};
      }
    }
  }
  return {std::string(best.schedule->name()), best.config, "default", "", 0};
}

}  // namespace hone
