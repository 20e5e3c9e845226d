// A model in the variants that assignments of precisions to its layers make, and the losses of each layer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/quantise/signal_error.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "lab/model/model.h"
#include "lab/precision/choose_assignment.h"
#include "lab/precision/rounded_layers.h"
#include "lab/quantise/calibration_inputs.h"
#include "lab/quantise/quantiser.h"

namespace hone {

// Measures the error that each layer's precision causes, in the layer's result and at the network's outputs.

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

struct PrecisionLayer {
  std::string name;  // name of the model's node
  std::string op;    // "nn.conv2d"
  bool takes_int8 = false;
};

// The module to build, and the precision of its build context.
struct PrecisionNetwork {
  relay::IRModule module;  // typed
  Precision precision = Precision::kFloat32;
};

class PrecisionModels {
 public:
  // Reads the samples, and measures ranges if the model can be quantised. `here` is the context in which models are run
  // on this machine. Throws Error as ReadCalibration and Measure do. Borrows all arguments but `here`.
  PrecisionModels(const ModelOptions& options, const relay::IRModule& typed, const QuantiseOptions& calibration,
                  const BuildContext& here);

  // Products with a name, in the order of computation.
  const std::vector<PrecisionLayer>& layers() const { return layers_; }
  const CalibrationSplit& samples() const { return samples_; }
  // Why no layer of the model can be int8; empty if one can.
  const std::string& why_not_int8() const { return why_not_int8_; }

  // Every layer that can have the precision has it; the others are float32.
  Assignment All(LayerPrecision precision) const;
  // The network of an assignment. If all layers are float32, it is the model itself.
  PrecisionNetwork NetworkOf(const Assignment& assignment) const;
  // The loss by the precision when all other layers are float32, in the order of layers(). nullopt for layers that
  // cannot have it. `plan` is that of the network of this precision. Uses inputs with which no network is judged,
  // unless there are no others. `tell` is called with the next step.
  std::vector<std::optional<LayerLoss>> LossesIn(LayerPrecision precision, const Plan& plan,
                                                 const std::function<void(const std::string&)>& tell) const;

 private:
  void OpenQuantiser(const ModelOptions& options, const QuantiseOptions& calibration);
  relay::IRModule Import(const std::string& bytes) const;

  RunSettings settings_;
  relay::IRModule typed_;  // with named layers
  std::unique_ptr<Quantiser> quantiser_;
  std::string why_not_int8_;
  CalibrationSplit samples_;
  std::vector<PrecisionLayer> layers_;
};

}  // namespace hone
