// Post-training static quantisation: from a float model and calibration inputs to a model of QuantizeLinear and
// DequantizeLinear pairs, and what it costs in accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/model.h"
#include "cli/quantise/quantiser.h"
#include "compiler/frontend/quantise/quantisation_plan.h"
#include "compiler/quantise/signal_error.h"

namespace hone {

// --calibrate, --samples, --method, --percentile, --no-bias-correction and --max-error.
void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options);

struct LayerError {
  QuantisableLayer layer;
  bool quantised = true;
  SignalError alone;  // of the layer by itself, its input being exact
  SignalError here;   // in the quantised network, behind all layers before it
};

struct QuantisedModel {
  std::string bytes;                                         // the ONNX model
  std::vector<LayerError> layers;                            // all that can be quantised, in the order of the nodes
  std::vector<std::pair<std::string, SignalError>> outputs;  // of the model
  size_t samples = 0;                                        // that ranges were taken from
  size_t held_out = 0;  // other ones that errors were measured on; 0: the same ones
  size_t values = 0;    // that are bytes
};

// Every fifth sample of five or more is held out. With a `max_error` the layers that lose most by themselves stay in
// float, as few as it takes. Throws Error: kAnswerIsNo when no layer can be quantised within it, naming the least error
// that was reached; kBadData for a model that is quantised already or has no layer to quantise; what ReadCalibration
// and LoadModel throw.
QuantisedModel QuantiseModel(const ModelOptions& model, const QuantiseOptions& options, int threads,
                             QuantisedFor reader = QuantisedFor::kFile);

}  // namespace hone
