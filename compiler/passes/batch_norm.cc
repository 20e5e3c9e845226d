// Batch norms as scales and shifts per channel, and these in the weights and biases of the layers before them.
#include <cmath>
#include <optional>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

enum BatchNormInput : size_t { kData = 0, kGamma = 1, kBeta = 2, kMean = 3, kVar = 4 };

struct ScaleShift {
  ExprPtr scale;
  ExprPtr shift;
};

std::vector<double> Values(const ExprPtr& constant) {
  const Tensor& value = relay::AsConstant(constant)->value;
  std::vector<double> values(static_cast<size_t>(value.elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = value.At(static_cast<int64_t>(i));
  return values;
}

// Computed in double, so that folded weights carry one rounding instead of four.
ScaleShift ConstantScaleShift(const Call& norm, size_t rank, int axis) {
  const std::vector<double> gamma = Values(norm.args[kGamma]), beta = Values(norm.args[kBeta]);
  const std::vector<double> mean = Values(norm.args[kMean]), var = Values(norm.args[kVar]);
  std::vector<double> scale(mean.size()), shift(mean.size());
  for (size_t i = 0; i < mean.size(); ++i) {
    scale[i] =
        (norm.attrs.GetBool("scale", true) ? gamma[i] : 1.0) / std::sqrt(var[i] + norm.attrs.GetFloat("epsilon"));
    shift[i] = (norm.attrs.GetBool("center", true) ? beta[i] : 0.0) - mean[i] * scale[i];
  }
  return {ChannelConstant(scale, rank, axis, norm.name), ChannelConstant(shift, rank, axis, norm.name)};
}

ScaleShift ComputedScaleShift(const Call& norm, size_t rank, int axis) {
  const ExprPtr epsilon = relay::MakeConstant(Tensor::Scalar(static_cast<float>(norm.attrs.GetFloat("epsilon"))));
  const ExprPtr deviation = TypedCall("sqrt", {TypedCall("add", {norm.args[kVar], epsilon})});
  const ExprPtr one = relay::MakeConstant(Tensor::Scalar(1));
  const ExprPtr gamma = norm.attrs.GetBool("scale", true) ? norm.args[kGamma] : one;
  ExprPtr scale = TypedCall("divide", {gamma, deviation});
  ExprPtr shift = TypedCall("negative", {TypedCall("multiply", {norm.args[kMean], scale})});
  if (norm.attrs.GetBool("center", true)) shift = TypedCall("add", {norm.args[kBeta], shift});
  Shape shape(rank - static_cast<size_t>(axis), 1);
  shape[0] = ShapeOf(norm.args[kMean])[0];
  const relay::Attrs attrs{{"newshape", shape}};
  return {TypedCall("reshape", {scale}, attrs), TypedCall("reshape", {shift}, attrs)};
}

bool HasConstantStatistics(const Call& norm) {
  for (size_t i = kGamma; i <= kVar; ++i) {
    if (relay::AsConstant(norm.args[i]) == nullptr) return false;
  }
  return true;
}

ExprPtr SimplifiedBatchNorm(const Call& norm) {
  const size_t rank = ShapeOf(norm.args[kData]).size();
  int axis = static_cast<int>(norm.attrs.GetInt("axis", 1));
  if (axis < 0) axis += static_cast<int>(rank);
  const ScaleShift by =
      HasConstantStatistics(norm) ? ConstantScaleShift(norm, rank, axis) : ComputedScaleShift(norm, rank, axis);
  return TypedCall("add", {TypedCall("multiply", {norm.args[kData], by.scale}, {}, norm.name), by.shift}, {},
                   norm.name);
}

ExprPtr Simplified(const ExprPtr& node, const Uses&) {
  const relay::TupleGetItem* item = relay::AsTupleGetItem(node);
  if (item == nullptr || item->index != 0) return nullptr;
  if (const Call* dropout = relay::AsCallTo(item->tuple, "nn.dropout")) return dropout->args[0];
  const Call* norm = relay::AsCallTo(item->tuple, "nn.batch_norm");
  return norm ? SimplifiedBatchNorm(*norm) : nullptr;
}

}  // namespace

relay::IRModule SimplifyInference(const relay::IRModule& module) { return RewriteByRules(module, {Simplified}); }

namespace {

// A layer with constant weights, and perhaps a constant bias, whose only reader is the step to be folded.
struct Layer {
  const Call* anchor = nullptr;
  std::vector<double> bias;  // empty if it has none
  std::string bias_name;
};

struct Step {
  ExprPtr data;
  std::vector<double> scale;  // empty: 1
  std::vector<double> shift;  // empty: 0
};

const Call* AsLayer(const ExprPtr& expr) {
  const Call* conv = relay::AsCallTo(expr, "nn.conv2d");
  const Call* call = conv ? conv : relay::AsCallTo(expr, "nn.dense");
  if (call != nullptr && call->attrs.GetBool("integral")) return nullptr;
  return call != nullptr && AsFloat32Constant(call->args[1]) != nullptr ? call : nullptr;
}

std::optional<Layer> FindLayer(const ExprPtr& expr, const Uses& uses) {
  if (uses.Of(expr) != 1) return {};
  if (const Call* anchor = AsLayer(expr)) return Layer{anchor, {}, ""};
  const Call* add = relay::AsCallTo(expr, "nn.bias_add");
  if (add == nullptr || uses.Of(add->args[0]) != 1) return {};
  const int64_t axis = add->attrs.GetInt("axis", 1);
  const int64_t rank = static_cast<int64_t>(ShapeOf(expr).size());
  const Call* anchor = AsLayer(add->args[0]);
  if (anchor == nullptr || (axis != 1 && axis + rank != 1)) return {};
  const auto bias = PerChannel(add->args[1], {ShapeOf(expr)[1]}, 0);
  if (!bias) return {};
  return Layer{anchor, *bias, relay::AsConstant(add->args[1])->name};
}

// The step that the call is when argument number `data` is the one that is not constant.
std::optional<Step> StepOf(const ExprPtr& node, size_t data) {
  const Call& call = *relay::AsCall(node);
  const Shape& shape = ShapeOf(call.args[data]);
  if (shape.size() < 2 || shape != ShapeOf(node)) return {};
  std::optional<std::vector<double>> values = PerChannel(call.args[1 - data], shape, 1);
  if (!values) return {};
  const std::string& op = relay::AsOp(call.op)->def->name;
  if (op == "subtract" || op == "divide") {
    if (data != 0) return {};
    for (double& value : *values) value = op == "divide" ? 1 / value : -value;
  }
  const bool scales = op == "multiply" || op == "divide";
  return scales ? Step{call.args[data], *values, {}} : Step{call.args[data], {}, *values};
}

ExprPtr ScaledWeight(const relay::Constant& weight, const std::vector<double>& scale) {
  Tensor scaled = weight.value.Clone();
  const int64_t row = scaled.elements() / static_cast<int64_t>(scale.size());
  for (int64_t i = 0; i < scaled.elements(); ++i) {
    scaled.data<float>()[i] = static_cast<float>(scaled.data<float>()[i] * Nth(scale, i / row));
  }
  return relay::MakeConstant(scaled, weight.name);
}

ExprPtr FoldedLayer(const Layer& layer, const Step& step, const std::string& name) {
  ExprPtr anchor = WithArgs(*layer.anchor, layer.anchor->args);
  if (!step.scale.empty()) {
    const relay::Constant& weight = *relay::AsConstant(layer.anchor->args[1]);
    anchor = WithArgs(*layer.anchor, {layer.anchor->args[0], ScaledWeight(weight, step.scale)});
  }
  if (layer.bias.empty() && step.shift.empty()) return anchor;
  std::vector<double> bias(static_cast<size_t>(ShapeOf(anchor)[1]));
  for (size_t i = 0; i < bias.size(); ++i) {
    const double before = layer.bias.empty() ? 0 : layer.bias[i];
    bias[i] = before * (step.scale.empty() ? 1 : step.scale[i]) + (step.shift.empty() ? 0 : step.shift[i]);
  }
  return TypedCall("nn.bias_add", {anchor, VectorConstant(bias, layer.bias_name)}, {}, name);
}

ExprPtr FoldStep(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  const relay::Op* op = call ? relay::AsOp(call->op) : nullptr;
  if (op == nullptr) return nullptr;
  const std::string& name = op->def->name;
  if (name != "multiply" && name != "divide" && name != "add" && name != "subtract") return nullptr;
  for (size_t data = 0; data < 2; ++data) {
    const std::optional<Layer> layer = FindLayer(call->args[data], uses);
    const std::optional<Step> step = layer ? StepOf(node, data) : std::nullopt;
    if (step) return FoldedLayer(*layer, *step, call->name);
  }
  return nullptr;
}

}  // namespace

relay::IRModule FoldBatchNorm(const relay::IRModule& module) { return RewriteByRules(module, {FoldStep}); }

}  // namespace hone
