// Translates AutoTVM's templates and knobs to hone's workloads and schedules (docs/reference/formats.md has the table).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/config_space.h"
#include "core/workload.h"
#include "db/foreign/autotvm_line.h"

namespace hone {

// A schedule and knobs in hone's own names.
struct MappedConfig {
  std::string schedule;
  Config config;
};

struct AutoTvmTemplate {
  std::string_view name;
  // The workload from the template's arguments. Throws Error(kBadData).
  Workload (*workload)(const Json& args);
  // Throws Error(kBadData) when a knob that the translation needs is missing.
  MappedConfig (*config)(const AutoTvmKnobs& knobs);
};

// Throws Error(kBadData) when no schedule of hone has the same meaning.
const AutoTvmTemplate& FindAutoTvmTemplate(std::string_view name);

}  // namespace hone
