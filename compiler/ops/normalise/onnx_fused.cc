// ONNX Runtime's normalizations with the sums and look-ups that its optimizer merges into them.
#include <fmt/format.h>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr OptionalInput(const OnnxNodeView& view, int input) {
  return view.HasInput(input) ? view.Input(input) : nullptr;
}

ExprPtr SumOf(const OnnxNodeView& view, const ExprPtr& a, const ExprPtr& b) {
  return b == nullptr ? a : view.Call("add", {a, b});
}

// An epsilon of 1e-12 is the default of all operators here but SimplifiedLayerNormalization and GroupNorm.
NodeAttributes Epsilon(const OnnxNodeView& view, double otherwise = 1e-12) {
  return {{"epsilon", NodeFloat(view.Float("epsilon", otherwise))}};
}

// Inputs: input, skip, gamma, beta, bias. The fourth result is the sum; no CPU has the second and third.
std::vector<ExprPtr> SkipLayerNormalization(const OnnxNodeView& view) {
  const ExprPtr sum = SumOf(view, view.Call("add", {view.Input(0), view.Input(1)}), OptionalInput(view, 4));
  const ExprPtr beta = OptionalInput(view, 3);
  return {Composed(view, "LayerNormalization", {sum, view.Input(2), beta}, Epsilon(view)), nullptr, nullptr, sum};
}

// Inputs: input, skip, gamma, bias.
std::vector<ExprPtr> SkipSimplifiedLayerNormalization(const OnnxNodeView& view) {
  const ExprPtr sum = SumOf(view, view.Call("add", {view.Input(0), view.Input(1)}), OptionalInput(view, 3));
  return {Composed(view, "RMSNormalization", {sum, view.Input(2)}, Epsilon(view)), nullptr, nullptr, sum};
}

std::vector<ExprPtr> SimplifiedLayerNormalization(const OnnxNodeView& view) {
  return {Composed(view, "RMSNormalization", {view.Input(0), view.Input(1)},
                   AttributesOf(view, {"axis", "epsilon", "stash_type"}))};
}

// The number of ones per row of the mask, as int32; zeros without a mask.
ExprPtr MaskLengths(const OnnxNodeView& view, const ExprPtr& mask, int64_t batch) {
  if (mask == nullptr) return relay::MakeConstant(Tensor(DType::kInt32, {batch}));
  const ExprPtr ones = view.Call("cast", {WithScalar(view, "equal", mask, 1)}, {{"dtype", std::string("int32")}});
  return view.Call("sum", {ones}, {{"axis", std::vector<int64_t>{1}}});
}

// Inputs: ids, segment ids, tables of words, positions and segments, gamma, beta, mask, position ids.
std::vector<ExprPtr> EmbedLayerNormalization(const OnnxNodeView& view) {
  const Shape ids = view.InputShape(0);
  const Shape positions = view.InputShape(3);
  if (ids.size() != 2 || positions.size() != 2 || positions[0] < ids[1]) {
    RefuseNode(fmt::format("ids of {} and positions of {} do not fit", ShapeText(ids), ShapeText(positions)));
  }
  const auto rows = [&](int table, const ExprPtr& which) {
    return Composed(view, "Gather", {view.Input(table), which});
  };
  const ExprPtr first_positions = view.builder().Uncounted(
      "strided_slice", {view.Input(3)},
      {{"begin", std::vector<int64_t>{0}}, {"end", std::vector<int64_t>{ids[1]}}, {"axes", std::vector<int64_t>{0}}});
  if (IsCounted(view.builder(), view.Input(0), 1)) {
    view.builder().SetCounts(first_positions, {ExtentOf(view.builder(), view.Input(0), 1), nullptr});
  }
  ExprPtr sum = view.Call("add", {rows(2, view.Input(0)), view.HasInput(8) ? rows(3, view.Input(8)) : first_positions});
  if (view.HasInput(1) && view.HasInput(4)) sum = view.Call("add", {sum, rows(4, view.Input(1))});
  return {Composed(view, "LayerNormalization", {sum, view.Input(5), view.Input(6)}, Epsilon(view)),
          MaskLengths(view, OptionalInput(view, 7), ids[0]), sum};
}

// The group normalization of `x` with gamma and beta at inputs 1 and 2, and the activation behind it.
ExprPtr GroupNormOf(const OnnxNodeView& view, const ExprPtr& x) {
  NodeAttributes attributes = Epsilon(view, 1e-5);
  attributes.emplace_back("num_groups", NodeInt(view.Int("groups", 0)));
  std::vector<ExprPtr> inputs{x, view.Input(1), view.Input(2)};
  const ExprPtr y = view.Int("channels_last", 1) != 0
                        ? ComposedChannelsLast(view, "GroupNormalization", std::move(inputs), std::move(attributes))
                        : Composed(view, "GroupNormalization", std::move(inputs), std::move(attributes));
  const int64_t activation = view.Int("activation", 0);
  if (activation != 0 && activation != 1) RefuseNode(fmt::format("activation is {}; 0 and 1 are right", activation));
  return activation == 1 ? view.Call("nn.silu", {y}) : y;
}

std::vector<ExprPtr> GroupNorm(const OnnxNodeView& view) { return {GroupNormOf(view, view.Input(0))}; }

// A skip or bias of the data's own rank, of channels per image (N x C) or for all images (C). The data's channels come
// last or second.
ExprPtr ForChannels(const OnnxNodeView& view, int input) {
  Shape shape = view.InputShape(input);
  const auto rank = static_cast<size_t>(view.InputRank(0));
  if (shape.size() == rank) return view.Input(input);
  if (shape.empty() || shape.size() > 2) RefuseNode(fmt::format("input {} is {}", input, ShapeText(shape)));
  Shape full(rank, 1);
  full[view.Int("channels_last", 1) != 0 ? rank - 1 : 1] = shape.back();
  if (shape.size() == 2) full[0] = shape[0];
  return view.Reshape(view.Input(input), full);
}

// Inputs: X, gamma, beta, skip, bias. The second result is the sum.
std::vector<ExprPtr> SkipGroupNorm(const OnnxNodeView& view) {
  ExprPtr sum = view.Call("add", {view.Input(0), ForChannels(view, 3)});
  if (view.HasInput(4)) sum = view.Call("add", {sum, ForChannels(view, 4)});
  return {GroupNormOf(view, sum), sum};
}

}  // namespace

OnnxOperatorTable FusedNormOperators() {
  return {
      {"SkipLayerNormalization", 3, 5, SkipLayerNormalization, {"epsilon"}, {.takes_counts = true}, kMicrosoft},
      {"SkipSimplifiedLayerNormalization",
       3,
       4,
       SkipSimplifiedLayerNormalization,
       {"epsilon"},
       {.takes_counts = true},
       kMicrosoft},
      {"SimplifiedLayerNormalization",
       2,
       2,
       SimplifiedLayerNormalization,
       {"axis", "epsilon", "stash_type"},
       {.takes_counts = true}},
      {"EmbedLayerNormalization",
       1,
       9,
       EmbedLayerNormalization,
       {"epsilon", "mask_index_type"},
       {.takes_counts = true},
       kMicrosoft},
      {"GroupNorm", 3, 3, GroupNorm, {"activation", "channels_last", "epsilon", "groups"}, {}, kMicrosoft},
      {"SkipGroupNorm", 4, 5, SkipGroupNorm, {"activation", "channels_last", "epsilon", "groups"}, {}, kMicrosoft},
  };
}

}  // namespace hone
