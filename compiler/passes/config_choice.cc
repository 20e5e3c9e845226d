#include "compiler/passes/config_choice.h"

#include "compiler/schedules/schedule.h"

namespace hone {

ConfigChooser::ConfigChooser(const PassContext& context)
    : context_(context), machine_(MachineModelFor(context.target)) {}

const ConfigChoice& ConfigChooser::For(const Workload& workload) {
  const std::string key = workload.ToText();
  const auto known = choices_.find(key);
  return known != choices_.end() ? known->second : choices_.emplace(key, Choose(workload)).first->second;
}

ConfigChoice ConfigChooser::Choose(const Workload& workload) const {
  const auto valid = [&](const std::string& name, const Config& config) {
    const Schedule* schedule = FindSchedule(name);
    return schedule != nullptr && schedule->Applies(workload, machine_) &&
           !schedule->Reject(workload, machine_, config).has_value();
  };
  if (context_.configs != nullptr) {
    const auto choice = context_.configs->Choose(workload, context_.target, context_.threads, valid);
    if (choice && valid(choice->schedule, choice->config)) return *choice;
  }
  const DefaultConfig fallback = AnalyticDefault(workload, machine_);
  return {std::string(fallback.schedule->name()), fallback.config, "default", "", 0};
}

}  // namespace hone
