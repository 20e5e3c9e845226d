// Where a build gets its configurations from. The record store is behind this interface: compiler does not see db.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config_space.h"
#include "core/target.h"
#include "core/workload.h"

namespace hone {

struct ConfigChoice {
  std::string schedule;
  Config config;
  std::string source;  // as in Dispatch
  std::string record;  // id, may be empty
  int64_t expected_ns = 0;
};

// Names what a config is to be the best of, as "NCHW NCHW16c"; nullopt for a config that is no choice.
using ConfigClass = std::function<std::optional<std::string>(const std::string& schedule, const Config& config)>;

// Asked once per distinct workload, with the schedules' constraint as a filter: a choice must satisfy `valid` (a record
// of an older schedule may not). Returns nullopt when it knows nothing: the analytic default is used then.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;
  virtual std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) = 0;

  // The best choice of each class that it knows any of, what Choose gives first. Their times were taken on one kind of
  // machine, so that they can be compared; those of a choice without a time are alone. Here: what Choose gives.
  virtual std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                               const ConfigClass& class_of) {
    const auto best = Choose(workload, target, threads, [&](const std::string& schedule, const Config& config) {
      return class_of(schedule, config).has_value();
    });
    return best ? std::vector<ConfigChoice>{*best} : std::vector<ConfigChoice>{};
  }
};

}  // namespace hone
