// What AutoTVM's templates and knobs mean in hone's workloads and schedules (docs/formats.md has the table).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/config_space.h"
#include "core/workload.h"
#include "db/foreign/autotvm_line.h"

namespace hone {

// Names of hone's own: of the schedule, and its knobs.
struct MappedConfig {
  std::string schedule;
  Config config;
};

struct AutoTvmTemplate {
  std::string_view name;
  // Of the template's arguments. Throws Error(kBadData).
  Workload (*workload)(const Json& args);
  // Throws Error(kBadData) when a knob is missing that the meaning hangs on.
  MappedConfig (*config)(const AutoTvmKnobs& knobs);
};

// Throws Error(kBadData) when no schedule of hone's means the same.
const AutoTvmTemplate& FindAutoTvmTemplate(std::string_view name);

}  // namespace hone
