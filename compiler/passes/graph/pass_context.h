// What every pass may know beside the module.
#pragma once

#include "core/build_context.h"
#include "core/config_source.h"

namespace hone {

struct PassContext {
  BuildContext build;
  ConfigSource* configs = nullptr;  // not owned; may be null
};

}  // namespace hone
