// A model in the variants that assignments of precisions to its layers make.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "lab/model/model.h"
#include "lab/precision/layer_losses.h"
#include "lab/precision/layer_precision.h"
#include "lab/quantise/calibration_split.h"
#include "lab/quantise/quantiser.h"

namespace hone {

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
