#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

using Channels = std::vector<int64_t>;

// Channel c of the result is channel channels[c] of the data. A selection from AsSelection takes no channel twice.
struct Selection {
  ExprPtr data;
  Channels channels;
};

std::optional<Selection> AsSelection(const ExprPtr& expr) {
  const Call* take = relay::AsCallTo(expr, "take");
  const relay::Constant* indices = take ? relay::AsConstant(take->args[1]) : nullptr;
  if (indices == nullptr || indices->value.dtype() != DType::kInt64 || indices->value.shape().size() != 1) return {};
  if (!IsImage(take->args[0]) || take->attrs.GetInt("axis") != 1) return {};
  const int64_t* first = indices->value.data<int64_t>();
  Selection selection{take->args[0], Channels(first, first + indices->value.elements())};
  const std::set<int64_t> distinct(selection.channels.begin(), selection.channels.end());
  const bool valid = distinct.size() == selection.channels.size() && *distinct.begin() >= 0 &&
                     *distinct.rbegin() < ShapeOf(selection.data)[1];
  return valid ? std::optional(selection) : std::nullopt;
}

ExprPtr Take(const Selection& selection, const std::string& name) {
  const auto count = static_cast<int64_t>(selection.channels.size());
  const ExprPtr indices =
      relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {count}, selection.channels), name);
  return TypedCall("take", {selection.data, indices}, {{"axis", int64_t{1}}}, name);
}

ExprPtr ShuffleAsSelection(const ExprPtr& node, const Uses& uses) {
  const Call* joined = relay::AsCallTo(node, "reshape");
  const Call* turned = joined ? relay::AsCallTo(joined->args[0], "transpose") : nullptr;
  const Call* parted = turned ? relay::AsCallTo(turned->args[0], "reshape") : nullptr;
  if (parted == nullptr || uses.Of(joined->args[0]) != 1 || uses.Of(turned->args[0]) != 1) return nullptr;
  if (!IsImage(parted->args[0]) || ShapeOf(node) != ShapeOf(parted->args[0])) return nullptr;
  const Shape &image = ShapeOf(node), &parts = ShapeOf(turned->args[0]);
  if (parts.size() != 5 || turned->attrs.GetInts("axes") != std::vector<int64_t>{0, 2, 1, 3, 4}) return nullptr;
  if (parts[0] != image[0] || parts[1] * parts[2] != image[1] || parts[3] != image[2]) return nullptr;
  Channels channels;
  for (int64_t c = 0; c < image[1]; ++c) channels.push_back(c % parts[1] * parts[2] + c / parts[1]);
  return Take({parted->args[0], channels}, turned->name);
}

// The constant's rows, row i at places[i] of `count` rows; the others are zeros.
ExprPtr SpreadRows(const relay::Constant& constant, const Channels& places, int64_t count) {
  Shape shape = constant.value.shape();
  const size_t row = static_cast<size_t>(constant.value.size_bytes() / std::max<int64_t>(1, shape[0]));
  shape[0] = count;
  Tensor spread(DType::kFloat32, shape);
  std::memset(spread.raw(), 0, static_cast<size_t>(spread.size_bytes()));
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(static_cast<char*>(spread.raw()) + static_cast<size_t>(places[i]) * row,
                static_cast<const char*>(constant.value.raw()) + i * row, row);
  }
  return relay::MakeConstant(spread, constant.name);
}

// The constant second operand of a call that has one float32 row per channel of the result.
const relay::Constant* ChannelRows(const Call& call) {
  const relay::Constant* rows = call.args.size() == 2 ? AsFloat32Constant(call.args[1]) : nullptr;
  if (rows == nullptr || rows->value.shape().empty()) return nullptr;
  return rows->value.shape()[0] == call.type->shape[1] ? rows : nullptr;
}

// The call on data in which its channel c is channel places[c].
ExprPtr OnSpread(const Call& call, const ExprPtr& data, const Channels& places) {
  const std::string& op = relay::AsOp(call.op)->def->name;
  if (call.args.size() == 1) return TypedCall(op, {data}, call.attrs, call.name);
  const int64_t count = ShapeOf(data)[1];
  relay::Attrs attrs = call.attrs;
  if (op == "nn.conv2d") {
    attrs.Set("groups", count);
    attrs.Set("channels", count);
  }
  return TypedCall(op, {data, SpreadRows(*relay::AsConstant(call.args[1]), places, count)}, std::move(attrs),
                   call.name);
}

bool IsDepthwise(const Call& call) {
  if (relay::AsOp(call.op)->def->name != "nn.conv2d") return false;
  const int64_t groups = call.attrs.GetInt("groups", 1);
  return groups == ShapeOf(call.args[0])[1] && groups == ShapeOf(call.args[1])[0];
}

ExprPtr SinkSelection(const ExprPtr& node, const Uses& uses) {
  const Call* call = relay::AsCall(node);
  if (call == nullptr || relay::AsOp(call->op) == nullptr || call->args.empty() || !IsImage(node)) return nullptr;
  if (uses.Of(call->args[0]) != 1) return nullptr;
  const auto selection = AsSelection(call->args[0]);
  if (!selection) return nullptr;
  const bool rows = ChannelRows(*call) != nullptr && (IsBias(*call) || IsDepthwise(*call));
  if (!IsUnary(*call) && !rows) return nullptr;
  const std::string& name = relay::AsCall(call->args[0])->name;
  return Take({OnSpread(*call, selection->data, selection->channels), selection->channels}, name);
}

// The calls from a selection's data back to a grouped convolution.
std::optional<std::vector<const Call*>> GroupedChain(ExprPtr expr, const Uses& uses) {
  std::vector<const Call*> chain;
  for (;; expr = chain.back()->args[0]) {
    const Call* call = relay::AsCall(expr);
    if (call == nullptr || relay::AsOp(call->op) == nullptr || uses.Of(expr) != 1) return {};
    chain.push_back(call);
    const bool conv = relay::AsOp(call->op)->def->name == "nn.conv2d";
    if (conv && ChannelRows(*call) != nullptr) return chain;
    if (conv || !(IsUnary(*call) || (IsBias(*call) && ChannelRows(*call) != nullptr))) return {};
  }
}

// Whether padding saves work. Without padding, a vector holds the largest block that divides the group. With it, only
// the lanes behind the group's end idle.
bool PaddingPays(int64_t per_group, int64_t padded, int64_t lanes) {
  return 4 * per_group * lanes > 5 * padded * std::gcd(per_group, lanes);
}

ExprPtr PadGroups(const ExprPtr& node, const Uses& uses, int64_t lanes) {
  const auto selection = AsSelection(node);
  const auto chain = selection ? GroupedChain(selection->data, uses) : std::nullopt;
  if (!chain || IsDepthwise(*chain->back())) return nullptr;
  const Call& conv = *chain->back();
  const int64_t groups = conv.attrs.GetInt("groups", 1), outputs = ShapeOf(selection->data)[1];
  const int64_t per_group = outputs / groups, padded = (per_group + lanes - 1) / lanes * lanes;
  if (groups == 1 || !PaddingPays(per_group, padded, lanes)) return nullptr;
  Channels places;
  for (int64_t c = 0; c < outputs; ++c) places.push_back(c / per_group * padded + c % per_group);
  relay::Attrs attrs = conv.attrs;
  attrs.Set("channels", groups * padded);
  const ExprPtr weight = SpreadRows(*relay::AsConstant(conv.args[1]), places, groups * padded);
  ExprPtr now = TypedCall("nn.conv2d", {conv.args[0], weight}, std::move(attrs), conv.name);
  for (size_t i = chain->size() - 1; i-- > 0;) now = OnSpread(*(*chain)[i], now, places);
  Channels channels;
  for (const int64_t c : selection->channels) channels.push_back(Nth(places, c));
  return Take({now, channels}, relay::AsCall(node)->name);
}

// Cost of a selection, as the number of multiplications per output in full vectors that take as long.
constexpr int64_t kSelectionCost = 40;

// Whether vectors may run along pixels, whatever the number of channels (conv2d_pixels).
bool IsPointwise(const Call& conv) {
  const Shape& weight = ShapeOf(conv.args[1]);
  return weight[2] == 1 && weight[3] == 1 && ShapeOf(conv.args[0])[2] == conv.type->shape[2] &&
         ShapeOf(conv.args[0])[3] == conv.type->shape[3];
}

// Pads groups even without a selection, if most of each vector would idle otherwise.
ExprPtr PadLoneGroups(const ExprPtr& node, const Uses&, int64_t lanes) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || !IsImage(node) || ChannelRows(*conv) == nullptr || IsDepthwise(*conv)) return nullptr;
  if (IsPointwise(*conv)) return nullptr;
  const int64_t groups = conv->attrs.GetInt("groups", 1), outputs = ShapeOf(node)[1];
  const int64_t per_group = outputs / groups, padded = (per_group + lanes - 1) / lanes * lanes;
  const Shape& weight = ShapeOf(conv->args[1]);
  const int64_t work = weight[1] * weight[2] * weight[3];
  const int64_t saved = work * lanes / std::gcd(per_group, lanes) - work * padded / per_group;
  if (groups == 1 || saved < kSelectionCost) return nullptr;
  Channels places;
  for (int64_t c = 0; c < outputs; ++c) places.push_back(c / per_group * padded + c % per_group);
  relay::Attrs attrs = conv->attrs;
  attrs.Set("channels", groups * padded);
  const ExprPtr padded_weight = SpreadRows(*relay::AsConstant(conv->args[1]), places, groups * padded);
  return Take({TypedCall("nn.conv2d", {conv->args[0], padded_weight}, std::move(attrs), conv->name), places},
              conv->name);
}

// Each channel of the data has several outputs of its own, which do not fill vectors. On data that repeat each channel
// that many times, the convolution is depthwise.
ExprPtr RepeatChannels(const ExprPtr& node, const Uses&, int64_t lanes) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || !IsImage(node) || conv->attrs.GetString("data_layout", "NCHW") != "NCHW") return nullptr;
  const int64_t groups = conv->attrs.GetInt("groups", 1), outputs = ShapeOf(node)[1];
  if (groups == 1 || ShapeOf(conv->args[1])[1] != 1 || outputs == groups || outputs / groups % lanes == 0)
    return nullptr;
  Channels channels;
  for (int64_t c = 0; c < outputs; ++c) channels.push_back(c / (outputs / groups));
  relay::Attrs attrs = conv->attrs;
  attrs.Set("groups", outputs);
  const ExprPtr repeated = Take({conv->args[0], channels}, conv->name);
  return TypedCall("nn.conv2d", {repeated, conv->args[1]}, std::move(attrs), conv->name);
}

ExprPtr JoinSelections(const ExprPtr& node, const Uses&) {
  const auto outer = AsSelection(node);
  const auto inner = outer ? AsSelection(outer->data) : std::nullopt;
  if (!inner) return nullptr;
  Channels channels;
  for (const int64_t c : outer->channels) channels.push_back(Nth(inner->channels, c));
  return Take({inner->data, channels}, relay::AsCall(node)->name);
}

}  // namespace

relay::IRModule GatherChannels(const relay::IRModule& module, int lanes) {
  const auto pad = [lanes](const ExprPtr& node, const Uses& uses) { return PadGroups(node, uses, lanes); };
  const auto pad_lone = [lanes](const ExprPtr& node, const Uses& uses) { return PadLoneGroups(node, uses, lanes); };
  const auto repeat = [lanes](const ExprPtr& node, const Uses& uses) { return RepeatChannels(node, uses, lanes); };
  return RewriteByRules(module, {ShuffleAsSelection, JoinSelections, repeat, pad, pad_lone, SinkSelection});
}

}  // namespace hone
