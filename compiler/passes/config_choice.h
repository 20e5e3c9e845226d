// Which configuration an anchor runs with.
#pragma once

#include <map>
#include <string>

#include "compiler/config_source.h"
#include "compiler/passes/passes.h"
#include "compiler/schedules/schedule.h"
#include "core/workload.h"

namespace hone {

// Remembers each workload's choice, so that a source is asked once per distinct workload.
class ConfigChooser {
 public:
  explicit ConfigChooser(const PassContext& context);
  // From context.configs when it has one that the schedule accepts, else the analytic default ("default"). Weights that
  // are no constants cannot be transformed ahead: such a schedule is then no choice, nor is an inexact one with
  // context.exact_math.
  const ConfigChoice& For(const Workload& workload, bool constant_weights);

 private:
  bool Allowed(const Schedule& schedule, const Workload& workload, const Config& config, bool constant_weights) const;
  ConfigChoice Choose(const Workload& workload, bool constant_weights) const;
  ConfigChoice Default(const Workload& workload, bool constant_weights) const;

  const PassContext& context_;
  MachineModel machine_;
  std::map<std::string, ConfigChoice> choices_;
};

}  // namespace hone
