#include "compiler/passes/simplify_inference.h"

#include <cmath>

#include "compiler/passes/graph/channel_constant.h"
#include "compiler/passes/graph/typed_graph.h"

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

}  // namespace hone
