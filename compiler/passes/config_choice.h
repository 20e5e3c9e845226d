// Which configuration an anchor runs with.
#pragma once

#include <map>
#include <string>

#include "compiler/config_source.h"
#include "compiler/passes/passes.h"
#include "core/workload.h"

namespace hone {

// Remembers each workload's choice, so that a source is asked once per distinct workload.
class ConfigChooser {
 public:
  explicit ConfigChooser(const PassContext& context);
  // From context.configs when it has one that the schedule accepts, else the analytic default ("default").
  const ConfigChoice& For(const Workload& workload);

 private:
  ConfigChoice Choose(const Workload& workload) const;

  const PassContext& context_;
  MachineModel machine_;
  std::map<std::string, ConfigChoice> choices_;
};

}  // namespace hone
