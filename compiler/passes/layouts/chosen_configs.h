// What a package's layers were built with, for a build that has to choose the same again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config_source.h"
#include "core/plan.h"
#include "core/workload.h"

namespace hone {

class ChosenConfigs {
 public:
  explicit ChosenConfigs(const Plan& plan);

  // The choice of the layer that computes these nodes, with source, record and time as the plan tells them. Null for a
  // layer that the plan does not have, or has with several configs. It lives as long as this.
  const ConfigChoice* For(const Workload& workload, const std::vector<std::string>& nodes) const;

 private:
  std::map<std::string, std::optional<ConfigChoice>> choices_;  // empty: the plan has several
};

}  // namespace hone
