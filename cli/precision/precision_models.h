// One model in as many forms as there are assignments of precisions to its layers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/model.h"
#include "cli/precision/layer_losses.h"
#include "cli/precision/layer_precision.h"
#include "cli/quantise/calibration_split.h"
#include "cli/quantise/quantiser.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"

namespace hone {

struct PrecisionLayer {
  std::string name;  // of the model's node
  std::string op;    // "nn.conv2d"
  bool takes_int8 = false;
};

// What to build, and in which context's precision.
struct PrecisionNetwork {
  relay::IRModule module;  // typed
  Precision precision = Precision::kFloat32;
};

class PrecisionModels {
 public:
  // Reads the samples and measures ranges where the model can be quantised. `here` is what models are run with on this
  // machine. Throws Error as ReadCalibration and Measure do. Borrows all but `here`.
  PrecisionModels(const ModelOptions& options, const relay::IRModule& typed, const QuantiseOptions& calibration,
                  const BuildContext& here);

  // Products with a name, in the order in which they are computed.
  const std::vector<PrecisionLayer>& layers() const { return layers_; }
  const CalibrationSplit& samples() const { return samples_; }
  // Why no layer of the model can be int8; empty when one can.
  const std::string& why_not_int8() const { return why_not_int8_; }

  // Every layer that takes it; the others float32.
  Assignment All(LayerPrecision precision) const;
  // All float32 is the model itself.
  PrecisionNetwork NetworkOf(const Assignment& assignment) const;
  // Per layer, in the layers' order, what the precision costs when all others are float32: nullopt where the layer does
  // not take it. `plan` is that of the network of this precision. Of inputs that no network is judged with, unless
  // there are no others. `tell` is called with what is done next.
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
