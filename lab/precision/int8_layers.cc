#include <algorithm>
#include <memory>
#include <utility>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "lab/precision/rounded_layers.h"

namespace hone {

using relay::ExprPtr;

namespace {

// A model with its values by their names in the ONNX graph.
struct NamedValues {
  relay::IRModule module;
  std::map<std::string, ExprPtr> values;
};

NamedValues FindValues(const FloatModel& model, const std::vector<std::string>& names, const RunSettings& settings) {
  std::vector<std::string> results = model.outputs();
  const size_t own = results.size();
  for (const std::string& name : names) {
    if (std::find(results.begin(), results.end(), name) == results.end()) results.push_back(name);
  }
  const relay::IRModule all =
      relay::InferType(ImportOnnxBytes(model.WithOutputs(results), settings.name, settings.import).module);
  std::vector<ExprPtr> fields{all.main->body};
  if (const relay::Tuple* tuple = relay::AsTuple(all.main->body)) fields = tuple->fields;
  NamedValues found;
  for (size_t i = 0; i < results.size(); ++i) found.values[results[i]] = fields.at(i);
  fields.resize(own);
  found.module = WithBody(all, own == 1 ? fields[0] : TypedTuple(fields));
  return found;
}

// Runs the float model with a quantised copy beside each layer, for the values of one group.
class CopyRunner {
 public:
  CopyRunner(const Quantiser& quantiser, std::shared_ptr<const LonelyLayers> copies, std::vector<size_t> layers)
      : quantiser_(quantiser), copies_(std::move(copies)), layers_(std::move(layers)) {}

  std::vector<RoundedValue> Run(const std::map<std::string, Tensor>& inputs) {
    if (runner_ == nullptr) Open();
    const std::vector<Tensor> made = runner_->Run(inputs);
    std::vector<RoundedValue> values;
    for (size_t i = 0; i < layers_.size(); ++i) values.push_back({made.at(i), made.at(layers_.size() + i)});
    return values;
  }

 private:
  void Open() {
    std::vector<std::string> names;
    for (const size_t layer : layers_) names.push_back(quantiser_.layers()[layer].output);
    for (const size_t layer : layers_) names.push_back(copies_->outputs[layer]);
    runner_ = std::make_unique<ValueRunner>(copies_->model, names, quantiser_.settings());
  }

  const Quantiser& quantiser_;
  const std::shared_ptr<const LonelyLayers> copies_;
  const std::vector<size_t> layers_;
  std::unique_ptr<ValueRunner> runner_;
};

}  // namespace

std::vector<RoundedLayers> Int8Layers(const Quantiser& quantiser) {
  std::vector<std::string> names;
  for (const QuantisableLayer& layer : quantiser.layers()) names.push_back(layer.output);
  const NamedValues found = FindValues(quantiser.model(), names, quantiser.settings());
  const auto copies = std::make_shared<const LonelyLayers>(quantiser.WriteLonely());
  std::vector<RoundedLayers> groups;
  std::vector<size_t> layers;
  int64_t used = 0;
  const auto close = [&] {
    if (layers.empty()) return;
    RoundedLayers group{found.module, {}, {}, {}};
    for (const size_t layer : layers) {
      group.values.push_back(found.values.at(names[layer]));
      group.layers.push_back(quantiser.layers()[layer].node);
    }
    const auto runner = std::make_shared<CopyRunner>(quantiser, copies, std::exchange(layers, {}));
    group.run = [runner](const std::map<std::string, Tensor>& inputs) { return runner->Run(inputs); };
    groups.push_back(std::move(group));
    used = 0;
  };
  for (size_t i = 0; i < names.size(); ++i) {
    const int64_t bytes = 2 * ElementCount(ShapeOf(found.values.at(names[i]))) * DTypeBytes(DType::kFloat32);
    if (used + bytes > kRoundedBytes) close();
    layers.push_back(i);
    used += bytes;
  }
  close();
  return groups;
}

}  // namespace hone
