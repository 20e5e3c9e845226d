#include "lab/precision/precision_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/mark_calls.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "lab/precision/noisy_network.h"

namespace hone {
namespace {

Tensor RoundingDifference(const RoundedValue& value) {
  Tensor difference(DType::kFloat32, value.exact.shape());
  const float *exact = value.exact.data<float>(), *rounded = value.rounded.data<float>();
  for (int64_t i = 0; i < difference.elements(); ++i) difference.data<float>()[i] = rounded[i] - exact[i];
  return difference;
}

struct Sums {
  SignalError alone;
  std::vector<SignalError> outputs;
};

class GroupLosses {
 public:
  GroupLosses(const RoundedLayers& group, const BuildContext& here)
      : group_(group), network_(group.module, group.values, here) {
    for (size_t i = 0; i < group.layers.size(); ++i) values_[group.layers[i]].push_back(i);
  }

  void Add(const CalibrationSample& sample, std::map<std::string, Sums>& sums) {
    const std::vector<RoundedValue> made = group_.run(sample.inputs);
    network_.SetInputs(sample.inputs);
    const std::vector<Tensor> exact = network_.Run({});
    for (const auto& [layer, values] : values_) {
      Sums& own = sums[layer];
      own.outputs.resize(exact.size());
      Noise noise;
      for (const size_t value : values) {
        own.alone.Add(made.at(value).rounded, made[value].exact);
        noise[value] = RoundingDifference(made[value]);
      }
      const std::vector<Tensor> moved = network_.Run(noise);
      for (size_t i = 0; i < exact.size(); ++i) own.outputs[i].Add(moved[i], exact[i]);
    }
  }

 private:
  const RoundedLayers& group_;
  NoisyNetwork network_;
  std::map<std::string, std::vector<size_t>> values_;  // by layer
};

}  // namespace

std::map<std::string, LayerLoss> MeasureLayerLosses(std::vector<RoundedLayers> groups,
                                                    const std::vector<CalibrationSample>& samples,
                                                    const BuildContext& here,
                                                    const std::function<void(const std::string&)>& tell) {
  std::map<std::string, Sums> sums;
  size_t at = 0;
  for (RoundedLayers& group : groups) {
    GroupLosses losses(group, here);
    for (size_t i = 0; i < samples.size(); ++i) {
      tell(fmt::format("layers {} to {}, input {} of {}", at + 1, at + group.layers.size(), i + 1, samples.size()));
      losses.Add(samples[i], sums);
    }
    at += group.layers.size();
    group.run = nullptr;
  }
  std::map<std::string, LayerLoss> found;
  for (const auto& [layer, own] : sums) {
    LayerLoss& loss = found[layer];
    loss.alone = own.alone;
    for (const SignalError& output : own.outputs) loss.output = std::max(loss.output, output.largest());
  }
  return found;
}

namespace {

// Each sample costs one run of the network per layer.
constexpr size_t kMostLossSamples = 4;

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
    samples_ = CalibrationOf(calibration.calibrate, calibration.samples, SpecsOf(typed_, here), options.seed,
                             calibration.images);
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
  if (QuantisableLayers(*model, calibration.products).empty()) {
    why_not_int8_ = "no layer has constant float32 weights that can be int8, and none multiplies two computed values";
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
  // Layers without a name were not measured, so they are bfloat16 only if all others are.
  if (!no_bfloat16.empty()) no_bfloat16.insert("");
  network.precision = Precision::kBFloat16;
  network.module = KeepFloat32(network.module, no_bfloat16);
  return network;
}

std::vector<std::optional<LayerLoss>> PrecisionModels::LossesIn(
    LayerPrecision precision, const Plan& plan, const std::function<void(const std::string&)>& tell) const {
  std::vector<std::optional<LayerLoss>> losses(layers_.size());
  std::vector<RoundedLayers> groups;
  if (precision == LayerPrecision::kBFloat16) {
    groups = BFloat16Layers(typed_, BFloat16OperandsIn(plan), settings_.context);
  }
  if (precision == LayerPrecision::kInt8 && quantiser_ != nullptr) groups = Int8Layers(*quantiser_);
  std::vector<CalibrationSample> samples = samples_.seen;
  samples.resize(std::min(samples.size(), kMostLossSamples));
  const auto found = MeasureLayerLosses(std::move(groups), samples, settings_.context, tell);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto loss = found.find(layers_[i].name);
    if (loss != found.end()) losses[i] = loss->second;
  }
  return losses;
}

}  // namespace hone
