// Measures the error that each layer's precision causes, in the layer's result and at the network's outputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/quantise/signal_error.h"
#include "core/build_context.h"
#include "lab/precision/rounded_layers.h"
#include "lab/quantise/calibration_inputs.h"

namespace hone {

struct LayerLoss {
  SignalError alone;  // error of the layer's result with an exact input
  double output = 0;  // error of the outputs, the largest max |y - r| / max |r|; infinite if one is not finite
};

// Losses by layer. The float32 network is run once more per layer and sample. The layer's rounding error is then added
// to its value, and all other layers are exact. `tell` is called with the next step.
std::map<std::string, LayerLoss> MeasureLayerLosses(std::vector<RoundedLayers> groups,
                                                    const std::vector<CalibrationSample>& samples,
                                                    const BuildContext& here,
                                                    const std::function<void(const std::string&)>& tell);

}  // namespace hone
