#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/convolutions/transposed_phases.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

// Weights of the convolutions that replace a transposed convolution, made from its own weight.

// The rows and columns of a transposed convolution's weight that a window has, in the window's order. The weight is
// (inputs, outputs / groups, rows, columns). -1 is a tap of zeros.
struct PhaseTaps {
  std::vector<int64_t> rows, columns;
};

ExprPtr Made(const char* op, const std::vector<ExprPtr>& args, relay::Attrs attrs, const std::string& name) {
  const ExprPtr call = TypedCall(op, args, std::move(attrs), name);
  const ExprPtr folded = FoldConstant(call);
  return folded != nullptr ? folded : call;
}

std::string NameOf(const ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  return constant != nullptr ? constant->name : "";
}

// The given taps along an axis. For -1, the tap of zeros that is padded behind the last one.
ExprPtr Taken(ExprPtr weight, const Ints& taps, int64_t axis) {
  const std::string name = NameOf(weight);
  const int64_t kernel = ShapeOf(weight)[static_cast<size_t>(axis)];
  Ints all(static_cast<size_t>(kernel));
  std::iota(all.begin(), all.end(), int64_t{0});
  if (taps == all) return weight;
  if (std::find(taps.begin(), taps.end(), -1) != taps.end()) {
    Ints width(2 * ShapeOf(weight).size(), 0);
    width[static_cast<size_t>(2 * axis + 1)] = 1;
    weight = Made("nn.pad", {weight}, {{"pad_width", width}}, name);
  }
  Tensor indices(DType::kInt64, {static_cast<int64_t>(taps.size())});
  for (size_t i = 0; i < taps.size(); ++i) indices.data<int64_t>()[i] = taps[i] < 0 ? kernel : taps[i];
  return Made("take", {weight, relay::MakeConstant(indices)}, {{"axis", axis}}, name);
}

// Turns (groups * inputs, outputs, ...) into (groups, outputs, inputs, ...).
ExprPtr OutputsFirst(const ExprPtr& weight, int64_t groups) {
  const Shape& shape = ShapeOf(weight);
  const std::string name = NameOf(weight);
  const Ints parts{groups, shape[0] / groups, shape[1], shape[2], shape[3]};
  const ExprPtr apart = Made("reshape", {weight}, {{"newshape", parts}}, name);
  return Made("transpose", {apart}, {{"axes", Ints{0, 2, 1, 3, 4}}}, name);
}

// Joins groups and outputs into one axis.
ExprPtr AsWeight(const ExprPtr& grouped) {
  const Shape& shape = ShapeOf(grouped);
  const Ints joined{shape[0] * shape[1], shape[2], shape[3], shape[4]};
  return Made("reshape", {grouped}, {{"newshape", joined}}, NameOf(grouped));
}

ExprPtr Window(const ExprPtr& weight, int64_t groups, const Ints& rows, const Ints& columns) {
  return OutputsFirst(Taken(Taken(weight, rows, 2), columns, 3), groups);
}

// Whether it is integers, perhaps minus a zero point, times scales.
bool IsQuantised(const ExprPtr& expr) {
  if (const Call* cast = relay::AsCallTo(expr, "cast")) return relay::AsConstant(cast->args[0]) != nullptr;
  for (const char* op : {"multiply", "subtract"}) {
    const Call* call = relay::AsCallTo(expr, op);
    if (call != nullptr && ShapeOf(call->args[0]) == ShapeOf(expr)) return IsQuantised(call->args[0]);
  }
  return false;
}

// Extends a value that depends only on the weight's output to the outputs of all groups; null for any other value.
ExprPtr PerOutput(const ExprPtr& expr, const Shape& weight, int64_t groups) {
  const ExprPtr folded = FoldConstant(expr);
  const auto values = PerChannel(folded != nullptr ? folded : expr, weight, 1);
  if (!values) return nullptr;
  std::vector<double> all;
  for (int64_t g = 0; g < groups; ++g) all.insert(all.end(), values->begin(), values->end());
  return ChannelConstant(all, weight.size(), 0, "");
}

// The weight of a window with these rows and columns, none of them -1: (outputs, inputs / groups, rows, columns). A
// constant gives a constant. Integers times scales, as in quantised models, keep that form.
ExprPtr PhaseWeight(const ExprPtr& weight, int64_t groups, const Ints& rows, const Ints& columns) {
  const Call* call = IsQuantised(weight) ? relay::AsCall(weight) : nullptr;
  if (call != nullptr && call->args.size() == 1) {
    return TypedCall("cast", {PhaseWeight(call->args[0], groups, rows, columns)}, call->attrs, call->name);
  }
  const ExprPtr by = call != nullptr ? PerOutput(call->args[1], ShapeOf(weight), groups) : nullptr;
  if (by != nullptr) {
    const std::string& op = relay::AsOp(call->op)->def->name;
    return TypedCall(op, {PhaseWeight(call->args[0], groups, rows, columns), by}, call->attrs, call->name);
  }
  return AsWeight(Window(weight, groups, rows, columns));
}

// The weight of one convolution that computes all windows, which have equal sizes. Its outputs are ordered by group,
// then by window, then by output within the window.
ExprPtr JointWeight(const ExprPtr& weight, int64_t groups, const std::vector<PhaseTaps>& windows) {
  std::vector<ExprPtr> parts;
  for (const PhaseTaps& taps : windows) parts.push_back(Window(weight, groups, taps.rows, taps.columns));
  return AsWeight(Made("concatenate", {TypedTuple(std::move(parts))}, {{"axis", int64_t{1}}}, NameOf(weight)));
}

// With more phases the separate convolutions would be too many kernels and weights.
constexpr int64_t kMostConvs = 64;

struct TransposedConv {
  const Call& call;
  std::array<TransposedAxis, 2> axes;
  int64_t groups = 1;

  int64_t Images() const { return call.type->shape[0]; }
  int64_t Outputs() const { return call.type->shape[1]; }
};

TransposedConv TransposedConvOf(const Call& call) {
  const Shape &data = ShapeOf(call.args[0]), &weight = ShapeOf(call.args[1]), &result = call.type->shape;
  const auto strides = Pair(call.attrs, "strides"), dilation = Pair(call.attrs, "dilation");
  const auto padding = Padding4(call.attrs);
  // A single input meets each output through one tap at most, whatever the stride.
  const auto stride = [&](size_t i) { return data[2 + i] == 1 ? (weight[2 + i] - 1) * dilation[i] + 1 : strides[i]; };
  const auto axis = [&](size_t i) {
    return TransposedAxis{data[2 + i], result[2 + i], weight[2 + i], stride(i), dilation[i], padding[i]};
  };
  return {call, {axis(0), axis(1)}, call.attrs.GetInt("groups", 1)};
}

// The data without the borders that the windows do not see.
ExprPtr Cropped(const ExprPtr& data, const ConvPhase& rows, const ConvPhase& columns) {
  const Shape& shape = ShapeOf(data);
  const auto cut = [](int64_t padding) { return std::max<int64_t>(0, -padding); };
  const Ints begin{cut(rows.before), cut(columns.before)};
  const Ints end{shape[2] - cut(rows.after), shape[3] - cut(columns.after)};
  if (begin == Ints{0, 0} && end == Ints{shape[2], shape[3]}) return data;
  return TypedCall("strided_slice", {data},
                   {{"begin", begin}, {"end", end}, {"strides", Ints{1, 1}}, {"axes", Ints{2, 3}}});
}

ExprPtr ConvOf(const TransposedConv& of, const ExprPtr& weight, const ConvPhase& rows, const ConvPhase& columns) {
  const auto padded = [](int64_t padding) { return std::max<int64_t>(0, padding); };
  const Shape& shape = ShapeOf(weight);
  return TypedCall(
      "nn.conv2d", {Cropped(of.call.args[0], rows, columns), weight},
      {{"padding", Ints{padded(rows.before), padded(columns.before), padded(rows.after), padded(columns.after)}},
       {"dilation", Ints{rows.dilation, columns.dilation}},
       {"groups", of.groups},
       {"channels", shape[0]},
       {"kernel_size", Ints{shape[2], shape[3]}},
       {"keep_float32", of.call.attrs.GetBool("keep_float32")},
       {"exact_math", of.call.attrs.GetBool("exact_math")}},
      of.call.name);
}

ExprPtr Zeros(const Shape& shape) {
  Tensor zeros(DType::kFloat32, shape);
  std::fill_n(zeros.data<float>(), zeros.elements(), 0.0F);
  return relay::MakeConstant(zeros);
}

ExprPtr PhaseConv(const TransposedConv& of, const ConvPhase& rows, const ConvPhase& columns) {
  if (rows.taps.empty() || columns.taps.empty()) return Zeros({1, of.Outputs(), 1, 1});
  return ConvOf(of, PhaseWeight(of.call.args[1], of.groups, rows.taps, columns.taps), rows, columns);
}

// A convolution for each phase, interleaved.
ExprPtr Apart(const TransposedConv& of) {
  const auto rows = PhasesOf(of.axes[0]), columns = PhasesOf(of.axes[1]);
  const auto is_empty = [](const ConvPhase& phase) { return phase.taps.empty(); };
  if (std::all_of(rows.begin(), rows.end(), is_empty) || std::all_of(columns.begin(), columns.end(), is_empty)) {
    return Zeros(of.call.type->shape);
  }
  std::vector<ExprPtr> convs;
  for (const ConvPhase& r : rows) {
    for (const ConvPhase& c : columns) convs.push_back(PhaseConv(of, r, c));
  }
  if (convs.size() == 1 && ShapeOf(convs[0]) == of.call.type->shape) return convs[0];
  const Ints strides{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns.size())};
  return TypedCall("nn.interleave", {TypedTuple(std::move(convs))},
                   {{"strides", strides}, {"size", Ints{of.axes[0].result, of.axes[1].result}}}, of.call.name);
}

using Joint = std::array<JointPhases, 2>;

// Moves channels to pixels, then cuts the result to size. The channels are ordered by group, phase and output.
ExprPtr SpreadPhases(const TransposedConv& of, const ExprPtr& all, const Joint& joint) {
  const Shape& shape = ShapeOf(all);
  const int64_t s = of.axes[0].stride, t = of.axes[1].stride, outputs = of.Outputs() / of.groups;
  // Without groups this has the form of a pixel shuffle, which other passes recognise.
  Ints parts{shape[0], s, t, outputs, shape[2], shape[3]}, axes{0, 3, 4, 1, 5, 2};
  if (of.groups > 1) {
    parts.insert(parts.begin() + 1, of.groups);
    axes = {0, 1, 4, 5, 2, 6, 3};
  }
  ExprPtr image = TypedCall("reshape", {all}, {{"newshape", parts}});
  image = TypedCall("transpose", {image}, {{"axes", axes}});
  const Shape whole{shape[0], of.Outputs(), shape[2] * s, shape[3] * t};
  image = TypedCall("reshape", {image}, {{"newshape", whole}});
  if (whole == of.call.type->shape) return image;
  const Ints begin{joint[0].shift, joint[1].shift};
  const Ints end{begin[0] + of.axes[0].result, begin[1] + of.axes[1].result};
  return TypedCall("strided_slice", {image},
                   {{"begin", begin}, {"end", end}, {"strides", Ints{1, 1}}, {"axes", Ints{2, 3}}}, of.call.name);
}

// All phases as channels of one convolution, with filters of zeros where its window is larger than a phase's.
ExprPtr Together(const TransposedConv& of, const Joint& joint) {
  std::vector<PhaseTaps> taps;
  for (const ConvPhase& r : joint[0].phases) {
    for (const ConvPhase& c : joint[1].phases) taps.push_back({r.taps, c.taps});
  }
  const ExprPtr weight = JointWeight(of.call.args[1], of.groups, taps);
  return SpreadPhases(of, ConvOf(of, weight, joint[0].phases[0], joint[1].phases[0]), joint);
}

int64_t TapsOf(const TransposedAxis& axis) {
  const std::vector<ConvPhase> phases = PhasesOf(axis);
  return std::accumulate(phases.begin(), phases.end(), int64_t{0},
                         [](int64_t sum, const ConvPhase& p) { return sum + static_cast<int64_t>(p.taps.size()); });
}

// Whether one convolution takes fewer vectors of weights: with few outputs, a vector holds outputs of several phases.
// If both take as many, one convolution reads the data once, provided that its channels may stay in vectors.
bool TogetherIsLess(const TransposedConv& of, const Joint& joint, int64_t lanes) {
  const auto vectors = [lanes](int64_t channels) { return (channels + lanes - 1) / lanes; };
  const int64_t s = of.axes[0].stride, t = of.axes[1].stride;
  if (s * t > kMostConvs) return true;
  if (of.groups > 1) return false;
  const int64_t together = joint[0].window * joint[1].window * vectors(s * t * of.Outputs());
  const int64_t apart = TapsOf(of.axes[0]) * TapsOf(of.axes[1]) * vectors(of.Outputs());
  const bool whole = of.axes[0].result % s == 0 && of.axes[1].result % t == 0 && joint[0].shift + joint[1].shift == 0;
  return together < apart || (together == apart && s == t && whole && of.Outputs() % lanes == 0);
}

ExprPtr Split(const ExprPtr& node, const Uses&, int64_t lanes) {
  const Call* call = relay::AsCallTo(node, "nn.conv2d_transpose");
  if (call == nullptr || !IsStatic(ShapeOf(call->args[0])) || ElementCount(ShapeOf(node)) == 0) return nullptr;
  const TransposedConv of = TransposedConvOf(*call);
  const Joint joint{JointPhasesOf(of.axes[0]), JointPhasesOf(of.axes[1])};
  const bool any = joint[0].window > 0 && joint[1].window > 0;
  return any && TogetherIsLess(of, joint, lanes) ? Together(of, joint) : Apart(of);
}

}  // namespace

relay::IRModule SplitTransposedConvs(const relay::IRModule& module, int lanes) {
  return RewriteByRules(
      module, {[lanes](const ExprPtr& node, const Uses& uses) { return Split(node, uses, lanes); }, IntoPhases});
}

}  // namespace hone
