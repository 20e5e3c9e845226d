// ONNX Runtime's convolutions and pools with the sums, activations and layouts that its optimizer merges into them.
#include <fmt/format.h>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/merged_activation.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr std::string_view kConvAttributes[] = {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"};

std::vector<std::string_view> ConvAttributesAnd(std::vector<std::string_view> further) {
  further.insert(further.end(), std::begin(kConvAttributes), std::end(kConvAttributes));
  return further;
}

// A converter of convolutions: Composed or ComposedChannelsLast.
using Compose = ExprPtr (*)(const OnnxNodeView& view, std::string_view op_type, std::vector<ExprPtr> inputs,
                            NodeAttributes attributes, std::string_view domain);

// Inputs: X, W, bias, a tensor to be added before the activation.
ExprPtr ActivatedConv(const OnnxNodeView& view, Compose compose) {
  const NodeAttributes attributes = AttributesOf(view, ConvAttributesAnd({}));
  std::vector<ExprPtr> inputs = view.inputs();
  if (inputs.size() > 3) inputs.resize(3);
  ExprPtr y = compose(view, "Conv", std::move(inputs), attributes, {});
  if (view.HasInput(3)) y = view.Call("add", {y, view.Input(3)});
  return MergedActivation(view, y);
}

std::vector<ExprPtr> FusedConv(const OnnxNodeView& view) { return {ActivatedConv(view, Composed)}; }
std::vector<ExprPtr> NhwcConv(const OnnxNodeView& view) { return {ActivatedConv(view, ComposedChannelsLast)}; }

std::vector<ExprPtr> NhwcMaxPool(const OnnxNodeView& view) {
  return {ComposedChannelsLast(
      view, "MaxPool", {view.Input(0)},
      AttributesOf(view, {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "strides"}))};
}

// Inputs: X, W, pads, bias. The pads must be known when the model is imported.
std::vector<ExprPtr> ConvTransposeWithDynamicPads(const OnnxNodeView& view) {
  NodeAttributes attributes =
      AttributesOf(view, {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "strides"});
  if (const auto pads = view.InputInts(2, "pads")) attributes.emplace_back("pads", NodeInts(*pads));
  return {Composed(view, "ConvTranspose", {view.Input(0), view.Input(1), view.HasInput(3) ? view.Input(3) : nullptr},
                   std::move(attributes))};
}

}  // namespace

OnnxOperatorTable FusedConvolutionOperators() {
  const std::vector<std::string_view> fused_conv = ConvAttributesAnd({"activation", "activation_params"});
  return {
      {"FusedConv", 2, 4, FusedConv, fused_conv, {}, kMicrosoft},
      {"NhwcConv", 2, 3, NhwcConv, ConvAttributesAnd({}), {}, kMicrosoft},
      {"NhwcFusedConv", 2, 4, NhwcConv, fused_conv, {}, kMicrosoft},
      {"NhwcMaxPool", 1, 1, NhwcMaxPool, ConvAttributesAnd({"ceil_mode"}), {}, kMicrosoft},
      {"ConvTransposeWithDynamicPads",
       2,
       4,
       ConvTransposeWithDynamicPads,
       ConvAttributesAnd({"output_padding"}),
       {},
       kMicrosoft},
  };
}

}  // namespace hone
