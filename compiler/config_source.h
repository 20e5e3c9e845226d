// Where a build gets its configurations from. The record store is behind this interface: compiler does not see db.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

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

// Asked once per distinct workload, with the schedules' constraint as a filter: a choice must satisfy `valid` (a record
// of an older schedule may not). Returns nullopt when it knows nothing: the analytic default is used then.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;
  virtual std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) = 0;
};

}  // namespace hone
