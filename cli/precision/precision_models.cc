#include "cli/precision/precision_models.h"

#include <set>

#include "cli/precision/bfloat16_errors.h"
#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/keep_float32.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"

namespace hone {
namespace {

std::vector<InputSpec> SpecsOf(const relay::IRModule& typed, const BuildContext& here) {
  BuildOptions options;
  options.context = here;
  return InputSpecs(*Package::FromBytes(Build(typed, options).package, typed.name));
}

}  // namespace

PrecisionModels::PrecisionModels(const ModelOptions& options, const relay::IRModule& typed,
                                 const QuantiseOptions& calibration, const BuildContext& here)
    : settings_{ImportOptionsOf(options), here, options.model}, typed_(typed) {
  OpenQuantiser(options, calibration);
  if (quantiser_ != nullptr) {
    typed_ = Import(quantiser_->model().WithOutputs(quantiser_->model().outputs()));
    samples_ = quantiser_->samples();
  } else {
    samples_ = CalibrationOf(calibration.calibrate, calibration.samples, SpecsOf(typed_, here), options.seed);
  }
  std::set<std::string> quantisable;
  for (size_t i = 0; quantiser_ != nullptr && i < quantiser_->layers().size(); ++i) {
    quantisable.insert(quantiser_->layers()[i].node);
  }
  for (const NamedProduct& product : NamedProducts(typed_)) {
    layers_.push_back({product.name, product.op, quantisable.count(product.name) > 0});
  }
}

void PrecisionModels::OpenQuantiser(const ModelOptions& options, const QuantiseOptions& calibration) {
  std::optional<FloatModel> model;
  try {
    model = LoadFloatModel(options, QuantisedFor::kHone);
  } catch (const Error& error) {
    why_not_int8_ = error.what();
    return;
  }
  if (QuantisableLayers(*model).empty()) {
    why_not_int8_ = "no layer has constant float32 weights that can be int8";
    return;
  }
  quantiser_ = std::make_unique<Quantiser>(std::move(*model), settings_, calibration, options.seed);
}

relay::IRModule PrecisionModels::Import(const std::string& bytes) const {
  return relay::InferType(ImportOnnxBytes(bytes, settings_.name, settings_.import).module);
}

Assignment PrecisionModels::All(LayerPrecision precision) const {
  Assignment all;
  for (const PrecisionLayer& layer : layers_) {
    const bool takes = precision != LayerPrecision::kInt8 || layer.takes_int8;
    all[layer.name] = takes ? precision : LayerPrecision::kFloat32;
  }
  return all;
}

PrecisionNetwork PrecisionModels::NetworkOf(const Assignment& assignment) const {
  std::set<std::string> no_bytes, no_bfloat16;
  for (const PrecisionLayer& layer : layers_) {
    const LayerPrecision precision = PrecisionIn(assignment, layer.name);
    if (precision != LayerPrecision::kBFloat16) no_bfloat16.insert(layer.name);
  }
  bool any_bytes = false;
  for (size_t i = 0; quantiser_ != nullptr && i < quantiser_->layers().size(); ++i) {
    const std::string& node = quantiser_->layers()[i].node;
    const bool bytes = PrecisionIn(assignment, node) == LayerPrecision::kInt8;
    if (!bytes) no_bytes.insert(node);
    any_bytes = any_bytes || bytes;
  }
  PrecisionNetwork network;
  network.module = any_bytes ? Import(quantiser_->Write(no_bytes).bytes) : typed_;
  if (no_bfloat16.size() == layers_.size()) return network;
  network.precision = Precision::kBFloat16;
  network.module = KeepFloat32(network.module, no_bfloat16);
  return network;
}

std::vector<std::optional<SignalError>> PrecisionModels::Int8ErrorsAlone() const {
  std::vector<std::optional<SignalError>> errors(layers_.size());
  if (quantiser_ == nullptr) return errors;
  const std::vector<SignalError> alone = quantiser_->ErrorsAlone();
  for (size_t i = 0; i < layers_.size(); ++i) {
    for (size_t k = 0; k < alone.size(); ++k) {
      if (quantiser_->layers()[k].node == layers_[i].name) errors[i] = alone[k];
    }
  }
  return errors;
}

std::vector<std::optional<SignalError>> PrecisionModels::ErrorsAlone(LayerPrecision precision) const {
  if (precision == LayerPrecision::kInt8) return Int8ErrorsAlone();
  std::vector<std::optional<SignalError>> errors(layers_.size());
  if (precision != LayerPrecision::kBFloat16) return errors;
  const auto alone = BFloat16ErrorsAlone(typed_, samples_.judges(), settings_.context);
  for (size_t i = 0; i < layers_.size(); ++i) errors[i] = alone.at(layers_[i].name);
  return errors;
}

}  // namespace hone
