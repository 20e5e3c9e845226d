// Configurations of schedules: candidates to be tried, and the source from which a build gets its choices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

// One configuration of one schedule for one workload on one target.
struct Candidate {
  Workload workload;
  std::string schedule;  // "conv2d_direct"
  Config config;
  Target target;
  bool operator==(const Candidate&) const = default;
};

struct ConfigChoice {
  std::string schedule;
  Config config;
  std::string source;  // as in Dispatch
  std::string record;  // id, may be empty
  int64_t expected_ns = 0;
};

// The name of the class within which a config competes, such as "NCHW NCHW16c"; nullopt if the config is no choice.
using ConfigClass = std::function<std::optional<std::string>(const std::string& schedule, const Config& config)>;

// The interface through which a build gets its configurations. It hides the record store, because compiler does not
// see db. It is asked once per distinct workload. A choice must satisfy `valid`, the schedules' constraint; a record of
// an older schedule may not. Returns nullopt when it knows nothing, and the analytic default is used.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;
  virtual std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) = 0;

  // The best choice of each class that it knows any choice of, beginning with the one that Choose returns. All times
  // come from one kind of machine, so they compare. A choice without a time is returned by itself, because it compares
  // with no other. The default implementation returns only Choose's result.
  virtual std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                               const ConfigClass& class_of) {
    const auto best = Choose(workload, target, threads, [&](const std::string& schedule, const Config& config) {
      return class_of(schedule, config).has_value();
    });
    return best ? std::vector<ConfigChoice>{*best} : std::vector<ConfigChoice>{};
  }
};

}  // namespace hone
