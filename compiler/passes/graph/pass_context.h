// Information for passes beside the module.
#pragma once

#include "core/build_context.h"
#include "core/candidate.h"

namespace hone {

class ChosenConfigs;

// The share of a layer's time at some lengths that a kernel of their own must gain.
inline constexpr double kVariantGain = 0.03;

struct PassContext {
  BuildContext build;
  ConfigSource* configs = nullptr;  // not owned; may be null
  // Choices for layers that must be built as before, whatever `configs` offers; not owned, may be null.
  const ChosenConfigs* chosen = nullptr;
  double variant_gain = kVariantGain;
};

}  // namespace hone
