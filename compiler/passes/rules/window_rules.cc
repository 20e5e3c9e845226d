// The rules on windows: padding that becomes that of its convolution or pool, patches, and large pools.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The zeros that an nn.pad of NCHW data adds around H and W only (top, left, bottom, right).
std::optional<std::array<int64_t, 4>> SpatialZeros(const Call& pad) {
  const std::vector<int64_t> width = pad.attrs.GetInts("pad_width");
  if (width.size() != 8 || pad.attrs.GetString("pad_mode", "constant") != "constant") return {};
  if (pad.attrs.GetFloat("pad_value") != 0) return {};
  for (size_t i = 0; i < 4; ++i) {
    if (width[i] != 0 || width[4 + i] < 0) return {};
  }
  return std::array<int64_t, 4>{width[4], width[6], width[5], width[7]};
}

ExprPtr WithPadding(const Call& window, const Call& pad, const std::array<int64_t, 4>& zeros, relay::Attrs attrs) {
  std::array<int64_t, 4> padding = Padding4(window.attrs);
  for (size_t i = 0; i < 4; ++i) padding[i] += zeros[i];
  attrs.Set("padding", std::vector<int64_t>(padding.begin(), padding.end()));
  std::vector<ExprPtr> args = window.args;
  args[0] = pad.args[0];
  return TypedCall(relay::AsOp(window.op)->def->name, std::move(args), std::move(attrs), window.name);
}

// Whether a kernel's border would take seconds to compile. Each register tile that the border reaches into has its own
// code for each tap. With wide borders and long filters (a spectrum's 256 taps) this is much code.
bool HasWideBorder(const Call& conv) {
  constexpr int64_t kMostTaps = 8192;  // over all columns of the border
  const std::array<int64_t, 4> padding = Padding4(conv.attrs);
  const Shape& weight = ShapeOf(conv.args[1]);
  return weight[2] * (padding[0] + padding[2]) > kMostTaps || weight[3] * (padding[1] + padding[3]) > kMostTaps;
}

ExprPtr PadIntoConv(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  const Call* pad = conv ? relay::AsCallTo(conv->args[0], "nn.pad") : nullptr;
  const auto zeros = pad ? SpatialZeros(*pad) : std::nullopt;
  if (!zeros || conv->attrs.GetString("data_layout", "NCHW") != "NCHW") return nullptr;
  ExprPtr padded = WithPadding(*conv, *pad, *zeros, conv->attrs);
  return HasWideBorder(*relay::AsCall(padded)) ? nullptr : padded;
}

ExprPtr WriteOutWideBorder(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || conv->attrs.GetString("data_layout", "NCHW") != "NCHW" || !HasWideBorder(*conv))
    return nullptr;
  const std::array<int64_t, 4> padding = Padding4(conv->attrs);
  const std::vector<int64_t> width{0, 0, 0, 0, padding[0], padding[2], padding[1], padding[3]};
  std::vector<ExprPtr> args = conv->args;
  args[0] = TypedCall("nn.pad", {args[0]}, {{"pad_width", width}, {"pad_value", 0.0}}, conv->name);
  relay::Attrs attrs = conv->attrs;
  attrs.Set("padding", std::vector<int64_t>{0, 0, 0, 0});
  return TypedCall("nn.conv2d", std::move(args), std::move(attrs), conv->name);
}

// Along one axis, the taps [first, last) of a window that see data from some output, and the padding around them.
struct SeenTaps {
  int64_t first, last;
  int64_t before, after;
};
SeenTaps SeenTapsOf(const Call& conv, size_t axis) {
  const int64_t in = ShapeOf(conv.args[0])[2 + axis], outputs = conv.type->shape[2 + axis];
  const int64_t stride = Nth(Pair(conv.attrs, "strides"), axis), dilation = Nth(Pair(conv.attrs, "dilation"), axis);
  const int64_t before = Nth(Padding4(conv.attrs), axis), reach = (outputs - 1) * stride;
  SeenTaps seen{0, ShapeOf(conv.args[1])[2 + axis], before, Nth(Padding4(conv.attrs), axis + 2)};
  while (seen.first + 1 < seen.last && reach - before + seen.first * dilation < 0) ++seen.first;
  while (seen.first + 1 < seen.last && (seen.last - 1) * dilation - before >= in) --seen.last;
  seen.before -= seen.first * dilation;
  seen.after = std::max<int64_t>(0, reach + (seen.last - seen.first - 1) * dilation + 1 - in - seen.before);
  return seen;
}

// If a filter is as wide as the border around a small image, most taps never see the image.
ExprPtr DropUnseenTaps(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  const bool plain = conv != nullptr && conv->attrs.GetString("data_layout", "NCHW") == "NCHW";
  if (!plain || !IsStatic(ShapeOf(conv->args[0])) || ElementCount(ShapeOf(node)) == 0) return nullptr;
  const SeenTaps rows = SeenTapsOf(*conv, 0), columns = SeenTapsOf(*conv, 1);
  const std::vector<int64_t> kernel{rows.last - rows.first, columns.last - columns.first};
  const Shape& weight = ShapeOf(conv->args[1]);
  const bool all = kernel[0] == weight[2] && kernel[1] == weight[3];
  if (all || rows.before < 0 || columns.before < 0) return nullptr;
  const relay::Constant* constant = relay::AsConstant(conv->args[1]);
  const ExprPtr slice = TypedCall("strided_slice", {conv->args[1]},
                                  {{"begin", std::vector<int64_t>{rows.first, columns.first}},
                                   {"end", std::vector<int64_t>{rows.last, columns.last}},
                                   {"strides", std::vector<int64_t>{1, 1}},
                                   {"axes", std::vector<int64_t>{2, 3}}},
                                  constant != nullptr ? constant->name : "");
  const ExprPtr folded = FoldConstant(slice);
  relay::Attrs attrs = conv->attrs;
  attrs.Set("kernel_size", kernel);
  attrs.Set("padding", std::vector<int64_t>{rows.before, columns.before, rows.after, columns.after});
  const ExprPtr dropped =
      TypedCall("nn.conv2d", {conv->args[0], folded != nullptr ? folded : slice}, std::move(attrs), conv->name);
  return ShapeOf(dropped) == ShapeOf(node) ? dropped : nullptr;
}

// The pool must already count its padding, because zeros from nn.pad are counted.
ExprPtr PadIntoAveragePool(const ExprPtr& node, const Uses&) {
  const Call* pool = relay::AsCallTo(node, "nn.avg_pool2d");
  const Call* pad = pool ? relay::AsCallTo(pool->args[0], "nn.pad") : nullptr;
  const auto zeros = pad ? SpatialZeros(*pad) : std::nullopt;
  if (!zeros || pool->attrs.GetBool("ceil_mode")) return nullptr;
  const bool counts = pool->attrs.GetBool("count_include_pad");
  if (!counts && Padding4(pool->attrs) != std::array<int64_t, 4>{}) return nullptr;
  relay::Attrs attrs = pool->attrs;
  attrs.Set("count_include_pad", true);
  return WithPadding(*pool, *pad, *zeros, std::move(attrs));
}

}  // namespace

const std::vector<Rule>& PaddingRules() {
  static const std::vector<Rule> rules{PadIntoConv, DropUnseenTaps, WriteOutWideBorder, PadIntoAveragePool};
  return rules;
}

// A convolution whose windows neither overlap nor leave gaps, and whose weight is much larger than the image. Each row
// of outputs would read the whole weight again. With the pixels of a window as channels it is pointwise, and all
// outputs share each read of the weight:
//
//    conv2d, kernel 2x2, stride 2, C inputs   becomes   reshape, transpose -> conv2d 1x1 of 4 C inputs

using Ints = std::vector<int64_t>;

namespace {

// Least ratio of the weight's elements to the image's.
constexpr int64_t kLargerWeight = 8;

bool CutsIntoPatches(const Call& conv) {
  const Shape &data = ShapeOf(conv.args[0]), &weight = ShapeOf(conv.args[1]);
  const auto strides = Pair(conv.attrs, "strides");
  const auto fits = [&](size_t i) {
    return strides.at(i) == weight[2 + i] && data[2 + i] % weight[2 + i] == 0 &&
           Pair(conv.attrs, "dilation").at(i) == 1;
  };
  return fits(0) && fits(1) && Padding4(conv.attrs) == std::array<int64_t, 4>{} && weight[2] * weight[3] > 1 &&
         ElementCount(weight) >= kLargerWeight * ElementCount(data);
}

// Turns (N, C, H, W) into (N, C * window, H / rows, W / columns).
ExprPtr PatchesAsPixels(const ExprPtr& data, int64_t rows, int64_t columns) {
  const Shape& shape = ShapeOf(data);
  const Shape parts{shape[0], shape[1], shape[2] / rows, rows, shape[3] / columns, columns};
  const ExprPtr apart = TypedCall("transpose", {TypedReshape(data, parts)}, {{"axes", Ints{0, 1, 3, 5, 2, 4}}});
  return TypedReshape(apart, {shape[0], shape[1] * rows * columns, parts[2], parts[4]});
}

ExprPtr PatchesAsPixels(const ExprPtr& node, const Uses&) {
  const Call* conv = relay::AsCallTo(node, "nn.conv2d");
  if (conv == nullptr || conv->attrs.GetString("data_layout", "NCHW") != "NCHW" || !relay::IsFloatTensor(node->type)) {
    return nullptr;
  }
  const bool whole = conv->attrs.GetInt("groups", 1) == 1 && !conv->attrs.GetBool("integral") && conv->args.size() == 2;
  const relay::Constant* weight = relay::AsConstant(conv->args[1]);
  if (!whole || weight == nullptr || !IsStatic(ShapeOf(conv->args[0])) || !CutsIntoPatches(*conv)) return nullptr;
  const Shape& shape = weight->value.shape();
  const Shape pixels{shape[0], ElementCount(shape) / shape[0], 1, 1};
  const ExprPtr pointwise = FoldConstant(TypedReshape(conv->args[1], pixels, weight->name));
  relay::Attrs attrs = conv->attrs;
  attrs.Set("kernel_size", Ints{1, 1});
  attrs.Set("strides", Ints{1, 1});
  return TypedCall("nn.conv2d", {PatchesAsPixels(conv->args[0], shape[2], shape[3]), pointwise}, std::move(attrs),
                   conv->name);
}

}  // namespace

const std::vector<Rule>& PatchRules() {
  static const std::vector<Rule> rules{
      [](const ExprPtr& node, const Uses& uses) { return PatchesAsPixels(node, uses); }};
  return rules;
}

// A large window of a pool becomes one of columns, then one of rows. This takes kh + kw steps for an output instead of
// kh * kw.
//
//    x x x                     c c c
//    x x x   of columns        . . .   of rows
//    x x x   ---------->       . . .   ------->   the largest of all nine, or the mean of three means

namespace {

// Compares steps per output. The intermediate values are written and read once more, once for each skipped column.
bool PaysApart(const std::vector<int64_t>& size, const std::array<int64_t, 2>& strides) {
  constexpr int64_t kPerColumn = 2, kOnce = 4;
  const int64_t apart = size[0] * strides[1] + size[1] + kPerColumn * strides[1] + kOnce;
  return 2 * size[0] * size[1] > 3 * apart;
}

// The pool's part along height (axis 0) or width (axis 1).
ExprPtr AlongAxis(const Call& pool, const ExprPtr& data, size_t axis) {
  const auto only = [&](const auto& both) {
    std::vector<int64_t> one{1, 1};
    one[axis] = both[axis];
    return one;
  };
  std::vector<int64_t> padding{0, 0, 0, 0};
  for (const size_t side : {axis, axis + 2}) padding[side] = Padding4(pool.attrs)[side];
  relay::Attrs attrs = pool.attrs;
  attrs.Set("pool_size", only(pool.attrs.GetInts("pool_size")));
  attrs.Set("strides", only(Pair(pool.attrs, "strides")));
  attrs.Set("dilation", only(Pair(pool.attrs, "dilation")));
  attrs.Set("padding", padding);
  return TypedCall(relay::AsOp(pool.op)->def->name, {data}, attrs, pool.name);
}

// Each row of a window counts as many columns as every other, so the mean of means is the mean.
ExprPtr PoolByAxes(const ExprPtr& node, const Uses&) {
  const Call* pool = relay::AsCallTo(node, "nn.max_pool2d");
  if (pool == nullptr) pool = relay::AsCallTo(node, "nn.avg_pool2d");
  if (pool == nullptr || !IsStatic(ShapeOf(node)) || pool->attrs.GetString("layout", "NCHW") != "NCHW") return nullptr;
  const std::vector<int64_t> size = pool->attrs.GetInts("pool_size");
  if (size.size() != 2 || size[0] == 1 || size[1] == 1 || !PaysApart(size, Pair(pool->attrs, "strides"))) {
    return nullptr;
  }
  return AlongAxis(*pool, AlongAxis(*pool, pool->args[0], 0), 1);
}

}  // namespace

const std::vector<Rule>& PoolRules() {
  static const std::vector<Rule> rules{PoolByAxes};
  return rules;
}

}  // namespace hone
