#include <algorithm>
#include <cstring>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Filters of `merged` groups each: a filter of group g is at the channels of g's place among the merged ones.
Tensor BlockDiagonal(const Tensor& weight, int64_t per_group, int64_t merged) {
  const Shape& shape = weight.shape();
  const int64_t filter = ElementCount(shape) / shape[0];
  Shape wide_shape = shape;
  wide_shape[1] *= merged;
  Tensor wide(DType::kFloat32, wide_shape);
  std::memset(wide.raw(), 0, static_cast<size_t>(wide.size_bytes()));
  for (int64_t o = 0; o < shape[0]; ++o) {
    const float* from = weight.data<float>() + o * filter;
    std::copy(from, from + filter, wide.data<float>() + (o * merged + o / per_group % merged) * filter);
  }
  return wide;
}

ExprPtr Merged(const ExprPtr& node, int64_t lanes) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  const relay::Constant* weight = conv ? AsFloat32Constant(conv->args[1]) : nullptr;
  if (weight == nullptr) return nullptr;
  const int64_t groups = conv->attrs.GetInt("groups", 1), inputs = weight->value.shape()[1];
  const int64_t per_group = weight->value.shape()[0] / std::max<int64_t>(1, groups);
  if (conv->attrs.GetBool("exact_math") || groups <= 1 || inputs == 1 || per_group >= lanes || lanes % per_group != 0)
    return nullptr;
  const int64_t merged = lanes / per_group;
  if (groups % merged != 0) return nullptr;
  relay::Attrs attrs = conv->attrs;
  attrs.Set("groups", groups / merged);
  const ExprPtr wide = relay::MakeConstant(BlockDiagonal(weight->value, per_group, merged), weight->name);
  return TypedCall("nn.conv2d", {conv->args[0], wide}, std::move(attrs), conv->name);
}

}  // namespace

relay::IRModule MergeGroups(const relay::IRModule& module, int lanes) {
  return RewriteByRules(module, {[lanes](const ExprPtr& node, const Uses&) { return Merged(node, lanes); }});
}

}  // namespace hone
