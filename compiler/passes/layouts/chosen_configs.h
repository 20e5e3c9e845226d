// The choices with which a package's layers were built, for a build that must repeat them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config_source.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {

class ChosenConfigs {
 public:
  explicit ChosenConfigs(const Plan& plan);

  // The choice for the layer that computes these nodes, with source, record and time as the plan tells them. Null if
  // the plan lacks the layer or has it with several configs. It lives as long as this object.
  const ConfigChoice* For(const Workload& workload, const std::vector<std::string>& nodes) const;

 private:
  std::map<std::string, std::optional<ConfigChoice>> choices_;  // empty if the plan has several
};

}  // namespace hone
