// ONNX Runtime's attentions: projections, masks and caches around one product of queries and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Axes = std::vector<int64_t>;

const Shape& ShapeOf(const OnnxNodeView& view, const ExprPtr& expr) { return view.builder().ShapeOf(expr); }

ExprPtr Permuted(const OnnxNodeView& view, const ExprPtr& expr, Axes axes) {
  return view.Call("transpose", {expr}, {{"axes", std::move(axes)}});
}

int64_t HeadCount(const OnnxNodeView& view) {
  const int64_t heads = view.Int("num_heads", 0);
  if (heads < 1) RefuseNode(fmt::format("num_heads is {}; it must be 1 or more", heads));
  return heads;
}

// Batch x positions x (heads * size) as batch x heads x positions x size.
ExprPtr SplitHeads(const OnnxNodeView& view, const ExprPtr& expr, int64_t heads) {
  const Shape shape = ShapeOf(view, expr);
  if (shape.size() != 3 || shape[2] % heads != 0) {
    RefuseNode(fmt::format("num_heads is {}; it must divide {}", heads, ShapeText(shape)));
  }
  return Permuted(view, view.Reshape(expr, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

// Queries, keys and values of one node, each batch x heads x positions x size, and what is added to the scores.
class FusedAttention {
 public:
  FusedAttention(const OnnxNodeView& view, ExprPtr q, ExprPtr k, ExprPtr v)
      : view_(view), q_(std::move(q)), k_(std::move(k)), v_(std::move(v)) {}

  // Puts the cached keys and values before those of this run. Null: there are none.
  void Prepend(const ExprPtr& past_keys, const ExprPtr& past_values) {
    if (past_keys == nullptr) return;
    past_ = ShapeOf(view_, past_keys)[2];
    past_extent_ = ExtentOf(view_.builder(), past_keys, 2);
    const auto joined = [&](const ExprPtr& past, const ExprPtr& now) {
      return view_.builder().CallOnTuple("concatenate", {past, now}, {{"axis", int64_t{2}}});
    };
    k_ = joined(past_keys, k_);
    v_ = joined(past_values, v_);
  }

  const ExprPtr& keys() const { return k_; }
  const ExprPtr& values() const { return v_; }

  // Adds a bias of the scores' shape, or one that broadcasts to it.
  void AddToScores(const ExprPtr& bias) { added_ = added_ == nullptr ? bias : view_.Call("add", {added_, bias}); }

  // Adds mask_filter_value to the scores that a mask hides. Its forms:
  //   B              the number of keys per image
  //   2 B            their ends, then their begins
  //   3 B + 2        their numbers, then where images begin if all lie in one row
  //   B x T          flags of the keys
  //   B x S x T      flags of the keys for each query
  //   B x 1 x M x M  the same, of the longest sequence
  void Mask(ExprPtr mask) {
    // The mask's range may end before the ranges of past and present keys together do.
    const auto rank = static_cast<int64_t>(ShapeOf(view_, mask).size());
    if (rank == 2 || rank == 3) {
      const auto fitting = WithOneDim(view_.builder(), {k_, v_, mask}, {2, 2, rank - 1});
      k_ = fitting[0], v_ = fitting[1], mask = fitting[2];
    }
    const ExprPtr kept = Kept(mask);
    const ExprPtr zero = ScalarLike(view_, q_, 0);
    AddToScores(view_.Call("where", {kept, zero, ScalarLike(view_, q_, view_.Float("mask_filter_value", -10000))}));
  }

  // The result, batch x positions x (heads * size).
  ExprPtr Result() const {
    const Shape q = ShapeOf(view_, q_), v = ShapeOf(view_, v_);
    const Shape k = ShapeOf(view_, k_);
    if (q[0] != k[0] || q[1] != k[1] || q[3] != k[3] || v[0] != k[0] || v[1] != k[1] || v[2] != k[2]) {
      RefuseNode(fmt::format("queries {}, keys {} and values {} do not fit", ShapeText(q), ShapeText(k), ShapeText(v)));
    }
    const int64_t images = q[0] * q[1];
    const ExprPtr products = view_.Call(
        "nn.batch_matmul", {view_.Reshape(q_, {images, q[2], q[3]}), view_.Reshape(k_, {images, k[2], k[3]})});
    const ExprPtr weights = view_.Call("nn.softmax", {Scores(view_.Reshape(products, {q[0], q[1], q[2], k[2]}))});
    const ExprPtr sums =
        view_.Call("nn.batch_matmul", {view_.Reshape(weights, {images, q[2], k[2]}),
                                       Permuted(view_, view_.Reshape(v_, {images, v[2], v[3]}), {0, 2, 1})});
    const ExprPtr heads_inside = Permuted(view_, view_.Reshape(sums, {q[0], q[1], q[2], v[3]}), {0, 2, 1, 3});
    return view_.Reshape(heads_inside, {q[0], q[2], q[1] * v[3]});
  }

 private:
  int64_t Queries() const { return ShapeOf(view_, q_)[2]; }
  int64_t KeyCount() const { return ShapeOf(view_, k_)[2]; }

  // Whether each key counts, as a tensor that broadcasts to the scores.
  ExprPtr Kept(const ExprPtr& mask) const {
    const Shape shape = ShapeOf(view_, mask);
    const int64_t batch = ShapeOf(view_, q_)[0], keys = KeyCount();
    if (shape == Shape{batch} || shape == Shape{3 * batch + 2}) return InRange(mask, batch, false);
    if (shape == Shape{2 * batch}) return InRange(mask, batch, true);
    const ExprPtr flags = WithScalar(view_, "greater", mask, 0);
    if (shape == Shape{batch, keys}) return view_.Reshape(flags, {batch, 1, 1, keys});
    if (shape == Shape{batch, Queries(), keys}) return view_.Reshape(flags, {batch, 1, Queries(), keys});
    if (shape.size() == 4 && shape[0] == batch && shape[1] == 1 && shape[2] >= keys && shape[3] >= keys) {
      if (!view_.builder().CountsOf(mask).empty() || relay::AsConstant(past_extent_) == nullptr) {
        RefuseNode("a mask of the longest sequence, beside extents that are counted in a run");
      }
      return view_.Slice(view_.Slice(flags, 2, past_, past_ + Queries()), 3, 0, keys);
    }
    RefuseNode(fmt::format("a mask of {} for {} images, {} queries and {} keys is not supported", ShapeText(shape),
                           batch, Queries(), keys));
  }

  ExprPtr InRange(const ExprPtr& ends, int64_t batch, bool has_begins) const {
    const ExprPtr limits = AsDType(view_, ends, DType::kInt64);
    const auto per_image = [&](int64_t first) {
      return view_.Reshape(view_.Slice(limits, 0, first, first + batch), {batch, 1, 1, 1});
    };
    const ExprPtr positions = PositionsAlong(view_.builder(), k_, 2, 3, 4);
    const ExprPtr before_end = view_.Call("less", {positions, per_image(0)});
    if (!has_begins) return before_end;
    return view_.Call("logical_and", {before_end, view_.Call("greater_equal", {positions, per_image(batch)})});
  }

  ExprPtr Scores(const ExprPtr& products) const {
    const double size = static_cast<double>(std::max<int64_t>(1, ShapeOf(view_, q_)[3]));
    const double given = view_.Float("scale", 0);
    ExprPtr scores = WithScalar(view_, "multiply", products, given == 0 ? 1 / std::sqrt(size) : given);
    if (added_ != nullptr) scores = view_.Call("add", {scores, added_});
    if (view_.Int("unidirectional", 0) == 0 || Queries() == 1) return scores;
    // A query sees the keys of the past and those up to its own.
    view_.builder().Spend(Queries() * KeyCount());
    const ExprPtr own = view_.Call("add", {PositionsAlong(view_.builder(), q_, 2, 2, 4), past_extent_});
    const ExprPtr seen = view_.Call("less_equal", {PositionsAlong(view_.builder(), k_, 2, 3, 4), own});
    return view_.Call("where", {seen, scores, ScalarLike(view_, scores, std::numeric_limits<float>::lowest())});
  }

  const OnnxNodeView& view_;
  ExprPtr q_, k_, v_;
  ExprPtr added_;  // to the scores; null for none
  int64_t past_ = 0;
  ExprPtr past_extent_ = CountOf(0);
};

void RefuseShared(const OnnxNodeView& view) {
  if (view.Int("past_present_share_buffer", 0) != 0) {
    RefuseNode("past_present_share_buffer=1 is not supported; export the model without a shared buffer");
  }
  if (view.Int("do_rotary", 0) != 0) RefuseNode("do_rotary=1 is not supported; export the rotary embedding apart");
}

// The sizes of Q, K and V side by side in a projection of `columns`.
Axes ProjectedSizes(const OnnxNodeView& view, int64_t columns) {
  const Axes sizes = view.Ints("qkv_hidden_sizes", {columns / 3, columns / 3, columns - columns / 3 * 2});
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != columns) {
    RefuseNode(fmt::format("qkv_hidden_sizes do not add up to the {} columns of the weights", columns));
  }
  return sizes;
}

// Attention whose queries, keys and values lie side by side in `projected`. The second result has the keys and values,
// 2 x batch x heads x positions x size. Inputs by number: a mask, the past, a bias of the scores; -1 for none.
std::vector<ExprPtr> SelfAttention(const OnnxNodeView& view, const ExprPtr& projected, int mask, int past, int bias) {
  RefuseShared(view);
  const int64_t heads = HeadCount(view);
  const Axes sizes = ProjectedSizes(view, ShapeOf(view, projected).back());
  const auto part = [&](int64_t begin, int64_t size) {
    return SplitHeads(view, view.Slice(projected, 2, begin, begin + size), heads);
  };
  FusedAttention attention(view, part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2]));
  if (past >= 0 && view.HasInput(past)) {
    const Shape shape = view.InputShape(past);
    if (shape.size() != 5 || shape[0] != 2) RefuseNode(fmt::format("a past of {}", ShapeText(shape)));
    const auto half = [&](int64_t which) {
      return view.Reshape(view.Slice(view.Input(past), 0, which, which + 1), {shape[1], shape[2], shape[3], shape[4]});
    };
    attention.Prepend(half(0), half(1));
  }
  if (view.HasInput(mask)) attention.Mask(view.Input(mask));
  if (bias >= 0 && view.HasInput(bias)) attention.AddToScores(view.Input(bias));
  if (view.node().outputs.size() < 2) return {attention.Result()};
  const auto with_axis = [&](const ExprPtr& expr) {
    return view.Call("expand_dims", {expr}, {{"axis", int64_t{0}}, {"num_newaxis", int64_t{1}}});
  };
  return {attention.Result(),
          view.builder().CallOnTuple("concatenate", {with_axis(attention.keys()), with_axis(attention.values())},
                                     {{"axis", int64_t{0}}})};
}

// Inputs: data, weights, bias, mask, past, bias of the scores.
std::vector<ExprPtr> ProjectedAttention(const OnnxNodeView& view) {
  if (view.InputRank(0) != 3) RefuseNode(fmt::format("its data is {}", ShapeText(view.InputShape(0))));
  ExprPtr projected = Composed(view, "MatMul", {view.Input(0), view.Input(1)});
  if (view.HasInput(2)) projected = view.Call("add", {projected, view.Input(2)});
  return SelfAttention(view, projected, 3, 4, 5);
}

// Inputs: data, weights, bias, their scales, mask, zero points, past.
std::vector<ExprPtr> QAttention(const OnnxNodeView& view) {
  const auto optional = [&](int input) { return view.HasInput(input) ? view.Input(input) : nullptr; };
  const ExprPtr projected =
      Composed(view, "MatMulIntegerToFloat",
               {view.Input(0), view.Input(1), view.Input(3), view.Input(4), optional(6), optional(7), view.Input(2)},
               {}, kMicrosoft);
  return SelfAttention(view, projected, 5, 8, -1);
}

// Reads queries, keys and values of MultiHeadAttention in each of its forms:
//   q (B,S,H), k and v (B,L,H)       apart
//   q (B,S,H), k and v (B,N,L,size)  keys and values of a cross attention, already split
//   q (B,S,H), k (B,L,N,2,size)      keys and values side by side
//   q (B,S,N,3,size)                 all three side by side
class MultiHeadInputs {
 public:
  explicit MultiHeadInputs(const OnnxNodeView& view) : view_(view), heads_(HeadCount(view)) {
    int64_t offset = 0;
    if (view.InputRank(0) == 5) {
      q_ = Packed(0, 0, offset), k_ = Packed(0, 1, offset), v_ = Packed(0, 2, offset);
      return;
    }
    if (!view.HasInput(1)) RefuseNode("the key is missing");
    q_ = SplitHeads(view, Biased(view.Input(0), offset), heads_);
    if (view.InputRank(1) == 5) {
      k_ = Packed(1, 0, offset), v_ = Packed(1, 1, offset);
    } else if (view.InputRank(1) == 4) {
      k_ = view.Input(1), v_ = view.Input(2);
    } else {
      k_ = SplitHeads(view, Biased(view.Input(1), offset), heads_);
      v_ = SplitHeads(view, Biased(view.Input(2), offset), heads_);
    }
  }

  FusedAttention Attention() const { return {view_, q_, k_, v_}; }

 private:
  // One of the tensors side by side in batch x positions x heads x n x size, with its part of the bias.
  ExprPtr Packed(int input, int64_t which, int64_t& offset) const {
    const Shape shape = view_.InputShape(input);
    if (which >= shape[3] || shape[2] != heads_) {
      RefuseNode(fmt::format("packed keys and values of {} for num_heads={}", ShapeText(shape), heads_));
    }
    const ExprPtr part =
        view_.Reshape(view_.Slice(view_.Input(input), 3, which, which + 1), {shape[0], shape[1], shape[2] * shape[4]});
    return SplitHeads(view_, Biased(part, offset), heads_);
  }

  // Adds the part of the bias that begins at `offset`, and moves the offset behind it.
  ExprPtr Biased(const ExprPtr& expr, int64_t& offset) const {
    if (!view_.HasInput(3)) return expr;
    const int64_t begin = offset;
    offset += ShapeOf(view_, expr).back();
    if (ElementCount(view_.InputShape(3)) < offset) {
      RefuseNode(fmt::format("a bias of {} is too short", ShapeText(view_.InputShape(3))));
    }
    return view_.Call("add", {expr, view_.Slice(view_.Input(3), 0, begin, offset)});
  }

  const OnnxNodeView& view_;
  int64_t heads_;
  ExprPtr q_, k_, v_;
};

// Inputs: query, key, value, bias, mask of the keys, bias of the scores, past keys, past values.
std::vector<ExprPtr> MultiHeadAttention(const OnnxNodeView& view) {
  if (view.HasInput(8) || view.HasInput(9)) RefuseNode("a cache in a shared buffer is not supported");
  FusedAttention attention = MultiHeadInputs(view).Attention();
  if (view.HasInput(6)) attention.Prepend(view.Input(6), view.Input(7));
  if (view.HasInput(4)) attention.Mask(view.Input(4));
  if (view.HasInput(5)) attention.AddToScores(view.Input(5));
  return {attention.Result(), attention.keys(), attention.values()};
}

// ONNX Runtime's form of RotaryEmbedding: positions come second and may be one number, the first one's.
std::vector<ExprPtr> MicrosoftRotaryEmbedding(const OnnxNodeView& view) {
  if (view.Int("is_packed_batching", 0) != 0) RefuseNode("is_packed_batching=1 is not supported");
  if (view.Float("scale", 1) != 1) RefuseNode(fmt::format("scale is {}; 1 is supported", view.Float("scale", 1)));
  const Shape shape = view.InputShape(0);
  if (shape.size() != 3 && shape.size() != 4) RefuseNode(fmt::format("its data is {}", ShapeText(shape)));
  const int64_t batch = shape[0], queries = shape[shape.size() - 2];
  ExprPtr positions = view.Input(1);
  if (ElementCount(view.InputShape(1)) == 1) {
    const ExprPtr first = view.Reshape(positions, {1, 1});
    const ExprPtr each = view.Call(
        "add", {first, PositionsAlong(view.builder(), view.Input(0), static_cast<int64_t>(shape.size()) - 2, 1, 2)});
    positions = view.Call("broadcast_to", {each}, {{"shape", Shape{batch, queries}}});
  }
  NodeAttributes attributes = AttributesOf(view, {"interleaved", "rotary_embedding_dim"});
  int64_t heads = view.Int("num_heads", 0);
  if (shape.size() == 3 && heads == 0) {
    // Without a number of heads, the caches tell the size of one.
    const int64_t size = 2 * view.InputShape(2).back();
    if (size == 0 || shape[2] % size != 0) RefuseNode(fmt::format("{} has no whole heads", ShapeText(shape)));
    heads = shape[2] / size;
  }
  if (shape.size() == 3) attributes.emplace_back("num_heads", NodeInt(heads));
  return {Composed(view, "RotaryEmbedding", {view.Input(0), view.Input(2), view.Input(3), positions},
                   std::move(attributes))};
}

}  // namespace

OnnxOperatorTable FusedAttentionOperators() {
  const std::vector<std::string_view> attention{
      "do_rotary",        "mask_filter_value",    "num_heads", "past_present_share_buffer",
      "qkv_hidden_sizes", "rotary_embedding_dim", "scale",     "unidirectional"};
  return {
      {"Attention", 2, 7, ProjectedAttention, attention, {.takes_counts = true}, kMicrosoft},
      {"QAttention", 5, 9, QAttention, attention, {.takes_counts = true}, kMicrosoft},
      {"MultiHeadAttention",
       1,
       10,
       MultiHeadAttention,
       {"mask_filter_value", "num_heads", "scale", "unidirectional"},
       {.takes_counts = true},
       kMicrosoft},
      {"RotaryEmbedding",
       4,
       4,
       MicrosoftRotaryEmbedding,
       {"interleaved", "is_packed_batching", "num_heads", "rotary_embedding_dim", "scale"},
       {.takes_counts = true},
       kMicrosoft},
  };
}

}  // namespace hone
