#include "compiler/frontend/onnx/merged_activation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/frontend/onnx/composed_node.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The attributes of an activation in the order of a list of parameters.
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

// The parameter of that name, which is number `place` of a list; nothing if it is not given.
std::optional<double> Parameter(const OnnxNodeView& view, std::string_view name, size_t place) {
  const std::string attribute = fmt::format("activation_{}", name);
  if (view.HasAttr(attribute)) return view.Float(attribute, 0);
  const OnnxAttribute* list = view.Find("activation_params");
  if (list == nullptr || place >= list->floats.size()) return std::nullopt;
  return list->floats[place];
}

ExprPtr Clipped(const OnnxNodeView& view, const ExprPtr& x) {
  relay::Attrs bounds;
  if (const auto low = Parameter(view, "alpha", 0)) bounds.Set("a_min", *low);
  if (const auto high = Parameter(view, "beta", 1)) bounds.Set("a_max", *high);
  return view.Call("clip", {x}, std::move(bounds));
}

}  // namespace

ExprPtr MergedActivation(const OnnxNodeView& view, const ExprPtr& x) {
  const std::string name = view.String("activation", "");
  if (name.empty()) return x;
  if (name == "Clip") return Clipped(view, x);
  const auto row = std::ranges::find(ActivationRows(), name, &ActivationRow::name);
  if (row == ActivationRows().end()) RefuseNode(fmt::format("the activation \"{}\" is not supported", name));
  NodeAttributes attributes;
  for (size_t i = 0; i < row->attributes.size(); ++i) {
    const std::string_view attribute = row->attributes[i];
    if (const auto value = Parameter(view, attribute, i)) attributes.emplace_back(attribute, NodeFloat(*value));
  }
  return Composed(view, name, {x}, std::move(attributes));
}

}  // namespace hone
