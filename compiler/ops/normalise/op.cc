// Operators with one parameter per channel, and others that go with them in classic networks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

int64_t ChannelDim(const Type& data, const Attrs& attrs) {
  return Nth(data.shape, NormalizedAxis(attrs.GetInt("axis", 1), data.shape.size()));
}

// Sets the types of the parameters that have none: vectors along the data's axis.
void FillVectors(std::vector<TypePtr>& args, const Attrs& attrs) {
  if (args[0] == nullptr || args[0]->kind != TypeKind::kTensor) return;
  const int64_t dim = ChannelDim(*args[0], attrs);
  if (dim == kAnyDim) return;
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i] == nullptr) args[i] = TensorType({dim}, args[0]->dtype);
  }
}

// Checks that every argument past the data is a vector along its axis; the result is like the data.
TypePtr PerChannelType(const std::vector<TypePtr>& args, const Attrs& attrs, const std::vector<InputSpec>& inputs) {
  const Type& data = TensorArg(args, 0, "data");
  const int64_t dim = ChannelDim(data, attrs);
  for (size_t i = 1; i < args.size(); ++i) VectorArg(args, i, inputs[i].name, dim);
  return args[0];
}

AxisView ChannelView(const Tensor& data, const Attrs& attrs) {
  return ViewAxis(data.shape(), NormalizedAxis(attrs.GetInt("axis", 1), data.shape().size()));
}

// result[o][c][i] = map(x, c) along the channel axis.
template <typename Map>
Tensor PerChannel(const Tensor& data, const Attrs& attrs, Map map) {
  const AxisView view = ChannelView(data, attrs);
  Tensor result(data.dtype(), data.shape());
  int64_t at = 0;
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t c = 0; c < view.extent; ++c) {
      for (int64_t i = 0; i < view.inner; ++i, ++at) result.Set(at, map(data.At(at), c));
    }
  }
  return result;
}

// Integers wrap.
Tensor IntegerBiasAdd(const Tensor& data, const Tensor& bias, const Attrs& attrs) {
  const AxisView view = ChannelView(data, attrs);
  Tensor result(data.dtype(), data.shape());
  for (int64_t i = 0; i < data.elements(); ++i) {
    const auto x = static_cast<uint64_t>(IntegerAt(data, i));
    const auto y = static_cast<uint64_t>(IntegerAt(bias, i / view.inner % view.extent));
    SetInteger(result, i, static_cast<int64_t>(x + y));
  }
  return result;
}

Tensors BiasAdd(const Tensors& args, const Attrs& attrs) {
  if (!IsFloat(args[0].dtype())) return {IntegerBiasAdd(args[0], args[1], attrs)};
  return {PerChannel(args[0], attrs, [&](double x, int64_t c) { return x + args[1].At(c); })};
}

Tensors Prelu(const Tensors& args, const Attrs& attrs) {
  return {PerChannel(args[0], attrs, [&](double x, int64_t c) { return x < 0 ? x * args[1].At(c) : x; })};
}

Tensors BatchNorm(const Tensors& args, const Attrs& attrs) {
  const double epsilon = attrs.GetFloat("epsilon", 1e-5);
  const bool center = attrs.GetBool("center", true);
  const bool scale = attrs.GetBool("scale", true);
  const auto map = [&](double x, int64_t c) {
    const double gamma = scale ? args[1].At(c) : 1;
    const double beta = center ? args[2].At(c) : 0;
    return (x - args[3].At(c)) / std::sqrt(args[4].At(c) + epsilon) * gamma + beta;
  };
  return {PerChannel(args[0], attrs, map), args[3], args[4]};
}

TypePtr LrnType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = TensorArg(args, 0, "data");
  const int64_t axis = NormalizedAxis(attrs.GetInt("axis", 1), data.shape.size());
  if (attrs.GetInt("size", 5) < 1) Misfit(fmt::format("size = {} must be at least 1", attrs.GetInt("size", 5)));
  if (!data.layout.empty() && axis != 1)
    Misfit(fmt::format("data lies as {}, only axis 1 may be blocked", data.layout));
  return args[0];
}

Tensors Lrn(const Tensors& args, const Attrs& attrs) {
  const Tensor& data = args[0];
  const AxisView view = ChannelView(data, attrs);
  const int64_t size = std::min(attrs.GetInt("size", 5), 2 * view.extent + 1);
  const double alpha = attrs.GetFloat("alpha", 1e-5) / static_cast<double>(attrs.GetInt("size", 5));
  Tensor result(data.dtype(), data.shape());
  for (int64_t i = 0; i < data.elements(); ++i) {
    const int64_t c = i / view.inner % view.extent;
    // An even window reaches one further up than down.
    const int64_t first = std::max<int64_t>(0, c - (size - 1) / 2);
    const int64_t last = std::min(view.extent - 1, c + size / 2);
    double squares = 0;
    for (int64_t k = first; k <= last; ++k) squares += std::pow(data.At(i + (k - c) * view.inner), 2);
    result.Set(i, data.At(i) / std::pow(attrs.GetFloat("bias", 2) + alpha * squares, attrs.GetFloat("beta", 0.75)));
  }
  return {result};
}

Tensors Dropout(const Tensors& args, const Attrs&) {
  Tensor mask(args[0].dtype(), args[0].shape());
  for (int64_t i = 0; i < mask.elements(); ++i) mask.Set(i, 1);
  return {args[0], mask};
}

const AttrSpec kAxis{"axis", AttrKind::kInt, int64_t{1}, "the channel axis of data"};

OpDef PerChannelOp(std::string name, std::string description, int level, std::vector<InputSpec> inputs) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.attrs = {kAxis};
  def.support_level = level;
  def.pattern = OpPattern::kBroadcast;
  def.layout = LayoutRule::kNCHWc;
  def.type_relation = [inputs](const std::vector<TypePtr>& args, const Attrs& attrs) {
    return PerChannelType(args, attrs, inputs);
  };
  def.fill_types = FillVectors;
  def.inputs = std::move(inputs);
  return def;
}

OpDef BatchNormOp() {
  OpDef def =
      PerChannelOp("nn.batch_norm",
                   "(data - moving_mean) / sqrt(moving_var + epsilon) * gamma + beta; a tuple of that and the two "
                   "moving statistics as they came",
                   1,
                   {{"data", "any shape", kKernelFloat},
                    {"gamma", "scale, one per channel", kKernelFloat},
                    {"beta", "shift, one per channel", kKernelFloat},
                    {"moving_mean", "mean, one per channel", kKernelFloat},
                    {"moving_var", "variance, one per channel", kKernelFloat}});
  def.results = {{"normalized", kKernelFloat}, {"moving_mean", kKernelFloat}, {"moving_var", kKernelFloat}};
  def.attrs = {kAxis,
               {"epsilon", AttrKind::kFloat, 1e-5, "added to the variance"},
               {"center", AttrKind::kBool, true, "whether beta is added"},
               {"scale", AttrKind::kBool, true, "whether gamma multiplies"}};
  def.type_relation = [like_data = def.type_relation](const std::vector<TypePtr>& args, const Attrs& attrs) {
    TypePtr data = like_data(args, attrs);
    return TupleType({std::move(data), args[3], args[4]});
  };
  def.reference = BatchNorm;
  return def;
}

OpDef LrnOp() {
  OpDef def;
  def.name = "nn.lrn";
  def.description = "data / (bias + alpha / size * sum of squares over a window of channels) ^ beta";
  def.inputs = {{"data", "any shape", kKernelFloat}};
  def.attrs = {{"size", AttrKind::kInt, int64_t{5}, "channels in the window"},
               kAxis,
               {"bias", AttrKind::kFloat, 2.0, "added before the power"},
               {"alpha", AttrKind::kFloat, 1e-5, "weight of the sum of squares"},
               {"beta", AttrKind::kFloat, 0.75, "the power"}};
  def.support_level = 2;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNCHWc;
  def.traits.per_image = true;
  def.type_relation = LrnType;
  def.reference = Lrn;
  return def;
}

OpDef DropoutOp() {
  OpDef def;
  def.name = "nn.dropout";
  def.description = "inference: a tuple of data unchanged and a mask of ones";
  def.inputs = {{"data", "any shape", kAnyElement}};
  def.results = {{"data", ElementRule::Like(0)}, {"mask", ElementRule::Like(0)}};
  def.attrs = {{"rate", AttrKind::kFloat, 0.5, "share of elements that training drops; no effect here"}};
  def.support_level = 1;
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = [](const std::vector<TypePtr>& args, const Attrs&) {
    TensorArg(args, 0, "data");
    return TupleType({args[0], args[0]});
  };
  def.reference = Dropout;
  return def;
}

}  // namespace

OpTable NormalizeOps() {
  OpDef bias = PerChannelOp("nn.bias_add", "data + bias along an axis", 1,
                            {{"data", "any shape", kNumbers}, {"bias", "one value per channel", ElementRule::Like(0)}});
  bias.traits.per_image = true;
  bias.reference = BiasAdd;
  OpDef prelu = PerChannelOp(
      "nn.prelu", "data where data > 0, alpha * data elsewhere, alpha per channel", 3,
      {{"data", "any shape", kReals}, {"alpha", "slope below zero, one per channel", ElementRule::Like(0)}});
  prelu.traits.per_image = true;
  prelu.reference = Prelu;
  return {bias, prelu, BatchNormOp(), LrnOp(), DropoutOp()};
}

}  // namespace hone::relay
