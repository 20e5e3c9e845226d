// Post-training static quantisation. It makes a model with QuantizeLinear and DequantizeLinear pairs from a float model
// and calibration inputs, and measures the loss of accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/quantise/quantisation_plan.h"
#include "compiler/quantise/signal_error.h"
#include "lab/model/model.h"
#include "lab/quantise/quantiser.h"
#include "lab/text/print.h"

namespace hone {

struct LayerError {
  QuantisableLayer layer;
  bool quantised = true;
  SignalError alone;  // error of the layer by itself, with an exact input
  SignalError here;   // error in the quantised network, behind all layers before it
};

struct QuantisedModel {
  std::string bytes;               // the ONNX model
  std::vector<LayerError> layers;  // all layers that can be quantised, in the order of the nodes
  std::vector<std::pair<std::string, SignalError>> outputs;  // error of each of the model's outputs
  size_t samples = 0;                                        // number from which ranges were taken
  size_t held_out = 0;                                       // number of others for measuring errors; 0: the same ones
  size_t values = 0;                                         // number of values stored as bytes
};

// Holds out every fifth sample of five or more. With a `max_error` the layers with the largest errors by themselves
// stay in float, as few as necessary. Throws Error(kAnswerIsNo) if no layer can be quantised within it, with the least
// error reached. Throws Error(kBadData) for a model that is quantised already or has no layer to quantise. Also throws
// what ReadCalibration and LoadModel throw.
QuantisedModel QuantiseModel(const ModelOptions& model, const QuantiseOptions& options, int threads,
                             QuantisedFor reader = QuantisedFor::kFile);

// A table of layers, one of outputs, and the source of the ranges. `path` is the file with the model.
std::string QuantisedModelText(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);
// JSON with the fields of docs/reference/cli.md.
Json QuantisedModelJson(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);

}  // namespace hone
