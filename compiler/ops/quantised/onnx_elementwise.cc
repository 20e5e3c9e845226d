// ONNX Runtime's operators on quantised tensors: they dequantise, apply the real operator, and quantise.
#include <fmt/format.h>

#include <functional>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/pool/onnx.h"
#include "compiler/ops/quantised/onnx.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Dequantises the input at `data`; its scale and zero point are the next two inputs.
ExprPtr RealInput(const OnnxNodeView& view, int data) {
  return Dequantised(view, view.Input(data), ReadQuantisation(view, data + 1, data + 2, view.InputShape(data)));
}

// Without a zero point the result has the data's own type.
ExprPtr QuantisedResult(const OnnxNodeView& view, const ExprPtr& real, int scale) {
  const Quantisation by = ReadQuantisation(view, scale, scale + 1, view.builder().ShapeOf(real));
  const bool given = view.HasInput(scale + 1);
  return Quantised(view, real, by, given ? QuantisedDType(view, scale + 1) : view.builder().DTypeOf(view.Input(0)));
}

std::vector<ExprPtr> QLinearAdd(const OnnxNodeView& view) {
  return {QuantisedResult(view, view.Call("add", {RealInput(view, 0), RealInput(view, 3)}), 6)};
}

// The integers are multiplied first, which is exact.
std::vector<ExprPtr> QLinearMul(const OnnxNodeView& view) {
  const Quantisation a = ReadQuantisation(view, 1, 2, view.InputShape(0));
  const Quantisation b = ReadQuantisation(view, 4, 5, view.InputShape(3));
  const ExprPtr product = view.Call(
      "multiply", {Centred(view, view.Input(0), a.zero_point).value, Centred(view, view.Input(3), b.zero_point).value});
  return {QuantisedResult(view, view.Call("multiply", {product, view.Call("multiply", {a.scale, b.scale})}), 6)};
}

void RefuseChannelsLast(const OnnxNodeView& view) {
  if (view.Int("channels_last", 0) != 0) RefuseNode("channels_last=1 is not supported; 0 (N,C,H,W) is");
  if (view.InputRank(0) != 4) {
    RefuseNode(fmt::format("its data is {}; only two spatial dimensions are supported", ShapeText(view.InputShape(0))));
  }
}

std::vector<ExprPtr> QLinearGlobalAveragePool2d(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, {});
  const ExprPtr data = Centred(view, view.Input(0), by.zero_point).value;
  const bool channels_last = view.Int("channels_last", 0) != 0;
  const ExprPtr mean = channels_last
                           ? view.Call("mean", {data}, {{"axis", std::vector<int64_t>{1, 2}}, {"keepdims", true}})
                           : view.Call("nn.global_avg_pool2d", {data});
  return {QuantisedResult(view, view.Call("multiply", {mean, by.scale}), 3)};
}

std::vector<ExprPtr> QLinearAveragePool2d(const OnnxNodeView& view) {
  RefuseChannelsLast(view);
  const Quantisation by = ReadQuantisation(view, 1, 2, {});
  const ExprPtr mean = Averaged(view, Centred(view, view.Input(0), by.zero_point).value);
  return {QuantisedResult(view, view.Call("multiply", {mean, by.scale}), 3)};
}

std::vector<ExprPtr> QLinearGlobalAveragePool(const OnnxNodeView& view) {
  return AsPlanes(view, QLinearGlobalAveragePool2d);
}
std::vector<ExprPtr> QLinearAveragePool(const OnnxNodeView& view) { return AsPlanes(view, QLinearAveragePool2d); }

// The inputs are the result's scale and zero point, then each tensor with its own.
std::vector<ExprPtr> QLinearConcat(const OnnxNodeView& view) {
  if (!view.HasAttr("axis")) RefuseNode("axis is missing");
  if (view.num_inputs() % 3 != 2)
    RefuseNode(fmt::format("{}; it takes 2 and 3 for each part", Counted(view.num_inputs(), "input")));
  std::vector<ExprPtr> parts;
  for (int i = 2; i < view.num_inputs(); i += 3) parts.push_back(RealInput(view, i));
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(2));
  const ExprPtr joined =
      parts.size() == 1 ? parts[0] : view.builder().CallOnTuple("concatenate", parts, {{"axis", axis}});
  return {Quantised(view, joined, ReadQuantisation(view, 0, 1, {}), QuantisedDType(view, 1))};
}

std::vector<ExprPtr> QLinearSigmoid(const OnnxNodeView& view) {
  return {QuantisedResult(view, view.Call("sigmoid", {RealInput(view, 0)}), 3)};
}

std::vector<ExprPtr> QLinearLeakyRelu(const OnnxNodeView& view) {
  const relay::Attrs attrs{{"alpha", view.Float("alpha", 0.01)}};
  return {QuantisedResult(view, view.Call("nn.leaky_relu", {RealInput(view, 0)}, attrs), 3)};
}

std::vector<ExprPtr> QLinearSoftmax(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  const int64_t axis = OnnxNodeView::Axis(view.Int("axis", -1), rank);
  if (view.Int("opset", 13) < 13 && axis != rank - 1) {
    RefuseNode(fmt::format("axis {} of {} with the meaning before opset 13 is not supported; the last is", axis, rank));
  }
  const relay::Attrs attrs{{"axis", axis == rank - 1 ? int64_t{-1} : axis}};
  return {QuantisedResult(view, view.Call("nn.softmax", {RealInput(view, 0)}, attrs), 3)};
}

// ONNX's QLinearConv, whose image may have its channels last; its weights never have.
std::vector<ExprPtr> QLinearConvOfImage(const OnnxNodeView& view) {
  const NodeAttributes attributes =
      AttributesOf(view, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  const auto compose = view.Int("channels_last", 0) != 0 ? ComposedChannelsLast : Composed;
  return {compose(view, "QLinearConv", view.inputs(), attributes, {})};
}

std::vector<ExprPtr> QLinearReduceMean(const OnnxNodeView& view) {
  const relay::Attrs over{{"axis", OnnxNodeView::Axes(view.Ints("axes", {}), view.InputRank(0))},
                          {"keepdims", view.Int("keepdims", 1) != 0}};
  return {QuantisedResult(view, view.Call("mean", {RealInput(view, 0)}, over), 3)};
}

// Inputs: condition, X, its scale and zero point, Y, its scale and zero point, the result's scale and zero point.
std::vector<ExprPtr> QLinearWhere(const OnnxNodeView& view) {
  const ExprPtr chosen = view.Call("where", {view.Input(0), RealInput(view, 1), RealInput(view, 4)});
  return {Quantised(view, chosen, ReadQuantisation(view, 7, 8, {}), QuantisedDType(view, 8))};
}

}  // namespace

OnnxOperatorTable QuantisedElementwiseOperators() {
  const std::vector<std::string_view> pool{"auto_pad",  "ceil_mode",    "channels_last", "count_include_pad",
                                           "dilations", "kernel_shape", "pads",          "strides"};
  const std::string requantised = "add cast clip divide multiply round subtract ";
  return {
      {"QLinearAdd", 7, 8, QLinearAdd, {}, {.becomes = requantised, .takes_counts = true}, kMicrosoft},
      {"QLinearMul", 7, 8, QLinearMul, {}, {.becomes = requantised, .takes_counts = true}, kMicrosoft},
      {"QLinearGlobalAveragePool",
       5,
       5,
       QLinearGlobalAveragePool,
       {"channels_last"},
       {.becomes = requantised + "mean nn.global_avg_pool2d reshape", .takes_counts = true},
       kMicrosoft},
      {"QLinearAveragePool",
       4,
       5,
       QLinearAveragePool,
       pool,
       {.becomes = requantised + "nn.avg_pool2d reshape", .takes_counts = true},
       kMicrosoft},
      {"QLinearConcat",
       5,
       -1,
       QLinearConcat,
       {"axis"},
       {.becomes = requantised + "concatenate", .takes_counts = true},
       kMicrosoft},
      {"QLinearSigmoid",
       4,
       5,
       QLinearSigmoid,
       {},
       {.becomes = requantised + "sigmoid", .takes_counts = true},
       kMicrosoft},
      {"QLinearLeakyRelu",
       4,
       5,
       QLinearLeakyRelu,
       {"alpha"},
       {.becomes = requantised + "nn.leaky_relu", .takes_counts = true},
       kMicrosoft},
      {"QLinearConv",
       8,
       9,
       QLinearConvOfImage,
       {"auto_pad", "channels_last", "dilations", "group", "kernel_shape", "pads", "strides"},
       {},
       kMicrosoft},
      {"QLinearReduceMean", 2, 5, QLinearReduceMean, {"axes", "keepdims"}, {.takes_counts = true}, kMicrosoft},
      {"QLinearWhere", 9, 9, QLinearWhere, {}, {.takes_counts = true}, kMicrosoft},
      {"QLinearSoftmax",
       5,
       5,
       QLinearSoftmax,
       {"axis", "opset"},
       {.becomes = requantised + "nn.softmax", .takes_counts = true},
       kMicrosoft},
  };
}

}  // namespace hone
