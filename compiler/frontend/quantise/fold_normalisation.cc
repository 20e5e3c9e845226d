#include "compiler/frontend/quantise/fold_normalisation.h"

#include <cmath>
#include <optional>

#include "compiler/frontend/quantise/onnx_wiring.h"

namespace hone {
namespace {

// y = factor * x + offset, per channel.
struct Affine {
  std::vector<double> factor, offset;
};

std::optional<Affine> AffineOf(const onnx::NodeProto& node, const OnnxWiring& wiring) {
  std::vector<Tensor> params;
  for (int i = 1; i <= 4; ++i) {
    const onnx::TensorProto* weight = wiring.WeightOf(OnnxInputName(node, i));
    params.push_back(weight == nullptr ? Tensor() : FloatValues(*weight));
    if (!params.back().defined() || params.back().elements() != params[0].elements()) return {};
  }
  const double epsilon = FloatAttribute(node, "epsilon", 1e-5);
  Affine affine;
  for (int64_t c = 0; c < params[0].elements(); ++c) {
    const double factor = params[0].At(c) / std::sqrt(params[3].At(c) + epsilon);
    if (!std::isfinite(factor)) return {};
    affine.factor.push_back(factor);
    affine.offset.push_back(params[1].At(c) - params[2].At(c) * factor);
  }
  return affine;
}

struct Folded {
  Tensor weight, bias;
};

std::optional<Folded> FoldedInto(const onnx::NodeProto& conv, const Affine& affine, const OnnxWiring& wiring) {
  const onnx::TensorProto* weight = wiring.WeightOf(OnnxInputName(conv, 1));
  const onnx::TensorProto* bias = wiring.WeightOf(OnnxInputName(conv, 2));
  const auto channels = static_cast<int64_t>(affine.factor.size());
  if (weight == nullptr || (bias == nullptr && !OnnxInputName(conv, 2).empty())) return {};
  Folded folded{FloatValues(*weight), bias == nullptr ? Tensor(DType::kFloat32, {channels}) : FloatValues(*bias)};
  if (!folded.weight.defined() || folded.weight.shape().empty() || folded.weight.shape()[0] != channels) return {};
  if (!folded.bias.defined() || folded.bias.elements() != channels) return {};
  const int64_t inner = folded.weight.elements() / channels;
  for (int64_t i = 0; i < folded.weight.elements(); ++i) {
    folded.weight.Set(i, folded.weight.At(i) * affine.factor[static_cast<size_t>(i / inner)]);
  }
  for (int64_t c = 0; c < channels; ++c) {
    const auto at = static_cast<size_t>(c);
    folded.bias.Set(c, folded.bias.At(c) * affine.factor[at] + affine.offset[at]);
  }
  return folded;
}

bool IsInference(const onnx::NodeProto& node) {
  return IntAttribute(node, "training_mode", 0) == 0 && (node.output_size() == 1 || node.output(1).empty());
}

struct Found {
  std::string conv, made;  // names of the node and of its new output
  Folded folded;
};

std::vector<Found> FindAll(const onnx::GraphProto& graph, std::set<std::string>& gone) {
  const OnnxWiring wiring(graph);
  std::vector<Found> all;
  for (const auto& node : graph.node()) {
    if (node.op_type() != "BatchNormalization" || !node.domain().empty() || !IsInference(node)) continue;
    const std::string x = OnnxInputName(node, 0);
    const onnx::NodeProto* conv = wiring.MakerOf(x);
    if (conv == nullptr || conv->op_type() != "Conv" || wiring.ReadersOf(x).size() != 1 || wiring.IsKept(x)) continue;
    const auto affine = AffineOf(node, wiring);
    auto folded = affine ? FoldedInto(*conv, *affine, wiring) : std::nullopt;
    if (!folded) continue;
    all.push_back({conv->name(), node.output(0), std::move(*folded)});
    gone.insert(node.name());
  }
  return all;
}

}  // namespace

void FoldNormalisation(onnx::GraphProto& graph) {
  std::set<std::string> gone;
  std::map<std::string, Found> by_conv;
  for (Found& found : FindAll(graph, gone)) by_conv.emplace(found.conv, std::move(found));
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (gone.count(node.name()) > 0) continue;
    onnx::NodeProto& conv = *kept.Add();
    conv.Swap(&node);
    const auto found = by_conv.find(conv.name());
    if (found == by_conv.end()) continue;
    const std::string made = found->second.made;
    AddWeight(graph, made + "_folded_weight", found->second.folded.weight);
    AddWeight(graph, made + "_folded_bias", found->second.folded.bias);
    const std::string x = conv.input(0);
    conv.clear_input();
    for (const std::string& input : {x, made + "_folded_weight", made + "_folded_bias"}) conv.add_input(input);
    conv.set_output(0, made);
  }
  graph.mutable_node()->Swap(&kept);
}

}  // namespace hone
