#include "compiler/frontend/onnx/merged_activation.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/composed_node.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The attributes of an activation in the order of the parameters.
struct ActivationRow {
  std::string_view name;
  std::vector<std::string_view> attributes;
};

const std::vector<ActivationRow>& ActivationRows() {
  static const std::vector<ActivationRow> kRows{{"Relu", {}},
                                                {"Sigmoid", {}},
                                                {"Tanh", {}},
                                                {"LeakyRelu", {"alpha"}},
                                                {"Softplus", {}},
                                                {"Softsign", {}},
                                                {"Elu", {"alpha"}},
                                                {"ThresholdedRelu", {"alpha"}},
                                                {"Celu", {"alpha"}},
                                                {"Selu", {"alpha", "gamma"}},
                                                {"HardSigmoid", {"alpha", "beta"}}};
  return kRows;
}

ExprPtr Clipped(const OnnxNodeView& view, const ExprPtr& x, const ActivationParameters& parameters) {
  relay::Attrs bounds;
  if (!parameters.empty()) bounds.Set("a_min", parameters[0]);
  if (parameters.size() > 1) bounds.Set("a_max", parameters[1]);
  return view.Call("clip", {x}, std::move(bounds));
}

}  // namespace

ActivationParameters ListedParameters(const OnnxNodeView& view) {
  const OnnxAttribute* attribute = view.Find("activation_params");
  return attribute == nullptr ? ActivationParameters() : attribute->floats;
}

ActivationParameters NamedParameters(const OnnxNodeView& view) {
  ActivationParameters parameters;
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (!view.HasAttr(name)) break;
    parameters.push_back(view.Float(name, 0));
  }
  return parameters;
}

ExprPtr MergedActivation(const OnnxNodeView& view, const ExprPtr& x, const ActivationParameters& parameters) {
  const std::string name = view.String("activation", "");
  if (name.empty()) return x;
  if (name == "Clip") return Clipped(view, x, parameters);
  const auto row = std::ranges::find(ActivationRows(), name, &ActivationRow::name);
  if (row == ActivationRows().end()) RefuseNode(fmt::format("the activation \"{}\" is not supported", name));
  NodeAttributes attributes;
  for (size_t i = 0; i < std::min(parameters.size(), row->attributes.size()); ++i) {
    attributes.emplace_back(row->attributes[i], FloatAttribute(parameters[i]));
  }
  return Composed(view, name, {x}, std::move(attributes));
}

}  // namespace hone
