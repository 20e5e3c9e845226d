// What each layer's precision costs, where the layer is and at the network's outputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/precision/rounded_layers.h"
#include "cli/quantise/calibration_inputs.h"
#include "compiler/quantise/signal_error.h"
#include "core/build_context.h"

namespace hone {

struct LayerLoss {
  SignalError alone;  // of what the layer makes, its input being exact
  double output = 0;  // of the outputs, the largest max |y - r| / max |r|; infinite where one is not finite
};

// By layer. The float32 network is run once more per layer and sample, with what the layer's rounding adds to its value
// added there: all other layers are exact. `tell` is called with what is done next.
std::map<std::string, LayerLoss> MeasureLayerLosses(std::vector<RoundedLayers> groups,
                                                    const std::vector<CalibrationSample>& samples,
                                                    const BuildContext& here,
                                                    const std::function<void(const std::string&)>& tell);

}  // namespace hone
