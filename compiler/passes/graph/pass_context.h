// What every pass may know beside the module.
#pragma once

#include "core/build_context.h"
#include "core/config_source.h"

namespace hone {

class ChosenConfigs;

struct PassContext {
  BuildContext build;
  ConfigSource* configs = nullptr;  // not owned; may be null
  // Of layers that must be built as they were, whatever `configs` says; not owned, may be null.
  const ChosenConfigs* chosen = nullptr;
};

}  // namespace hone
