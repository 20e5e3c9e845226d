// Attention and RotaryEmbedding as the products, masks and softmax that define them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Axes = std::vector<int64_t>;

ExprPtr Transposed(const OnnxNodeView& view, const ExprPtr& expr, const Axes& axes) {
  return view.Call("transpose", {expr}, {{"axes", axes}});
}

// Batch x heads x positions x size: the input itself, or with its last axis split into heads.
ExprPtr Heads(const OnnxNodeView& view, int input, std::string_view heads_attribute) {
  const Shape shape = view.InputShape(input);
  if (shape.size() == 4) return view.Input(input);
  const int64_t heads = view.Int(heads_attribute, 0);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    RefuseNode(fmt::format("{} is {}; it must divide {}", heads_attribute, heads, ShapeText(shape)));
  }
  return Transposed(view, view.Reshape(view.Input(input), {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

// The sizes of one node.
struct Sizes {
  int64_t batch = 0, heads = 0, queries = 0, size = 0;  // for Q
  int64_t groups = 0, keys = 0, past = 0;               // heads of K; key positions, and those of the past
  int64_t value_size = 0;
};

class AttentionFormula {
 public:
  explicit AttentionFormula(const OnnxNodeView& view) : view_(view) {
    const int64_t step = view.Int("qk_matmul_output_mode", 0);
    if (step < 0 || step > 3) RefuseNode(fmt::format("qk_matmul_output_mode is {}; 0 to 3 are right", step));
    q_ = Heads(view, 0, "q_num_heads");
    const ExprPtr rows = Heads(view, 1, "kv_num_heads");
    has_own_keys_ = HasOwnKeys(rows);
    k_ = WithPast(rows, 4);
    v_ = WithPast(Heads(view, 2, "kv_num_heads"), 5);
    const Shape q = view.builder().ShapeOf(q_), k = view.builder().ShapeOf(k_), v = view.builder().ShapeOf(v_);
    sizes_ = {q[0], q[1], q[2], q[3], k[1], k[2], view.HasInput(4) ? view.InputShape(4)[2] : 0, v[3]};
    if (k[0] != q[0] || k[3] != q[3] || k[1] < 1 || q[1] % k[1] != 0 || v[0] != k[0] || v[1] != k[1] || v[2] != k[2]) {
      RefuseNode(fmt::format("Q, K and V of {}, {} and {} do not fit", ShapeText(q), ShapeText(k), ShapeText(v)));
    }
  }

  std::vector<ExprPtr> Outputs() {
    const ExprPtr weights = Weights();
    ExprPtr y = Grouped(weights, sizes_.keys, Joined(v_, sizes_.keys, sizes_.value_size), sizes_.value_size, false);
    if (view_.InputRank(0) == 3) {
      y = view_.Reshape(Transposed(view_, y, {0, 2, 1, 3}),
                        {sizes_.batch, sizes_.queries, sizes_.heads * sizes_.value_size});
    }
    return {y, k_, v_, asked_};
  }

 private:
  ExprPtr WithPast(const ExprPtr& now, int input) const {
    if (!view_.HasInput(input)) return now;
    return view_.builder().CallOnTuple("concatenate", {view_.Input(input), now}, {{"axis", int64_t{2}}});
  }
  ExprPtr Joined(const ExprPtr& expr, int64_t rows, int64_t columns) const {
    return view_.Reshape(expr, {sizes_.batch * sizes_.groups, rows, columns});
  }
  // One product per head of K: the heads of Q that share it become successive rows. `right` has one matrix for each
  // head of K.
  ExprPtr Grouped(const ExprPtr& rows, int64_t inner, const ExprPtr& right, int64_t columns, bool transpose_b) const {
    const int64_t shared = sizes_.heads / sizes_.groups;
    const bool repeats = shared > 1 && IsCounted(view_.builder(), rows, 2);
    const int64_t products = sizes_.batch * (repeats ? sizes_.heads : sizes_.groups);
    const int64_t each = repeats ? sizes_.queries : shared * sizes_.queries;
    const ExprPtr left = view_.Reshape(rows, {products, each, inner});
    const ExprPtr product = view_.Call("nn.batch_matmul", {left, repeats ? Repeated(right, shared) : right},
                                       {{"transpose_b", transpose_b}});
    return view_.Reshape(product, {sizes_.batch, sizes_.heads, sizes_.queries, columns});
  }
  // A counted number of queries stays in front in products of their own.
  ExprPtr Repeated(const ExprPtr& matrices, int64_t times) const {
    const Shape shape = view_.builder().ShapeOf(matrices);
    const ExprPtr apart = view_.Reshape(matrices, {shape[0], 1, shape[1], shape[2]});
    const Shape all{shape[0], times, shape[1], shape[2]};
    return view_.Reshape(view_.Call("broadcast_to", {apart}, {{"shape", all}}), {shape[0] * times, shape[1], shape[2]});
  }

  // The fourth output has the scores after one of the steps 0 to 3.
  ExprPtr Seen(const ExprPtr& scores, int64_t step) {
    if (view_.Int("qk_matmul_output_mode", 0) == step) asked_ = scores;
    return scores;
  }

  ExprPtr Capped(const ExprPtr& scores) const {
    const double cap = view_.Float("softcap", 0);
    if (cap == 0) return scores;
    return WithScalar(view_, "multiply", view_.Call("tanh", {WithScalar(view_, "divide", scores, cap)}), cap);
  }

  ExprPtr Chosen(const ExprPtr& scores, const ExprPtr& mask) const {
    return view_.Call("where", {mask, scores, ScalarLike(view_, scores, -std::numeric_limits<double>::infinity())});
  }

  // Keys beyond the mask's extent are masked out.
  ExprPtr WholeMask() const {
    const ExprPtr& mask = view_.Input(3);
    Shape rest = view_.InputShape(3);
    if (rest.empty() || rest.back() == 1 || rest.back() >= sizes_.keys) return mask;
    if (IsCounted(view_.builder(), mask, static_cast<int64_t>(rest.size()) - 1)) return mask;
    rest.back() = sizes_.keys - rest.back();
    view_.builder().Spend(ElementCount(rest) * 4);
    Tensor hidden(view_.builder().DTypeOf(mask), rest);
    for (int64_t i = 0; hidden.dtype() != DType::kBool && i < hidden.elements(); ++i) {
      hidden.Set(i, -std::numeric_limits<double>::infinity());
    }
    return view_.builder().CallOnTuple("concatenate", {mask, relay::MakeConstant(hidden)},
                                       {{"axis", static_cast<int64_t>(rest.size()) - 1}});
  }

  ExprPtr Masked(ExprPtr scores) const {
    if (view_.HasInput(3)) {
      const ExprPtr mask = WholeMask();
      const bool truth = view_.builder().DTypeOf(mask) == DType::kBool;
      scores = truth ? Chosen(scores, mask) : view_.Call("add", {scores, mask});
    }
    const int64_t left = view_.Int("left_window_size", -1), right = view_.Int("right_window_size", -1);
    if (view_.HasInput(6)) scores = Chosen(scores, view_.Call("less", {KeyPositions(), KeyCounts()}));
    if (view_.Int("is_causal", 0) != 0) scores = Chosen(scores, view_.Call("less_equal", {KeyPositions(), Last(0)}));
    if (right >= 0) scores = Chosen(scores, view_.Call("less_equal", {KeyPositions(), Last(right)}));
    if (left >= 0) scores = Chosen(scores, view_.Call("greater_equal", {KeyPositions(), Last(-left)}));
    return scores;
  }

  // The number of keys per image that are not padding; B x 1 x 1 x 1.
  ExprPtr KeyCounts() const {
    return view_.Reshape(AsDType(view_, view_.Input(6), DType::kInt64), {sizes_.batch, 1, 1, 1});
  }
  ExprPtr KeyPositions() const {
    view_.builder().Spend(sizes_.queries * sizes_.keys);
    return PositionsAlong(view_.builder(), k_, 2, 3, 4);
  }
  // A query's own position among the keys, plus `further`. It follows the past's keys. With key counts, the queries are
  // the last keys that are not padding.
  ExprPtr Last(int64_t further) const {
    TypedBuilder& builder = view_.builder();
    const ExprPtr own = PositionsAlong(builder, q_, 2, 2, 4, further);
    const ExprPtr before = view_.HasInput(6)   ? view_.Call("subtract", {KeyCounts(), ExtentOf(builder, q_, 2)})
                           : view_.HasInput(4) ? ExtentOf(builder, view_.Input(4), 2)
                                               : CountOf(0);
    return view_.Call("add", {own, before});
  }
  // Whether each run has a key in `rows` for each query.
  bool HasOwnKeys(const ExprPtr& rows) const {
    TypedBuilder& builder = view_.builder();
    const ExprPtr queries = ExtentOf(builder, q_, 2), keys = ExtentOf(builder, rows, 2);
    const Extent a = builder.extents().FormOf(queries), b = builder.extents().FormOf(keys);
    return a == b || (a.known() && b.known() && *a.known() <= *b.known());
  }
  // A query sees its own key in a window to the left.
  bool MayBeBlind() const {
    const bool lacks_own = view_.HasAttr("left_window_size") && !has_own_keys_;
    return view_.HasInput(3) || view_.HasInput(6) || lacks_own || view_.HasAttr("right_window_size");
  }

  // The scores or weights as a graph of the node changes them.
  ExprPtr Modified(std::string_view graph, const ExprPtr& given) const {
    if (!view_.HasAttr(graph)) return given;
    const std::vector<ExprPtr> results = view_.Results(view_.Body(graph), {given});
    if (results.size() == 1 && view_.builder().ShapeOf(results[0]) == view_.builder().ShapeOf(given)) return results[0];
    RefuseNode(fmt::format("{} must give one result of {}", graph, ShapeText(view_.builder().ShapeOf(given))));
  }

  ExprPtr Weights() {
    const double scale = view_.Float("scale", 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, sizes_.size))));
    const ExprPtr product = Grouped(q_, sizes_.size, Joined(k_, sizes_.keys, sizes_.size), sizes_.keys, true);
    const ExprPtr capped = Seen(Capped(Seen(WithScalar(view_, "multiply", product, scale), 0)), 1);
    const ExprPtr scores = Modified("score_mod", Seen(Masked(capped), 2));
    ExprPtr weights = view_.Call("nn.softmax", {scores});
    if (MayBeBlind()) {
      // A query whose keys are all masked out has weights of 0.
      const ExprPtr most = view_.Call("max", {scores}, {{"axis", Axes{3}}, {"keepdims", true}});
      const ExprPtr blind = WithScalar(view_, "equal", most, -std::numeric_limits<double>::infinity());
      weights = view_.Call("where", {blind, ScalarLike(view_, weights, 0), weights});
    }
    return Modified("prob_mod", Seen(weights, 3));
  }

  const OnnxNodeView& view_;
  ExprPtr q_, k_, v_, asked_;
  Sizes sizes_;
  bool has_own_keys_ = false;
};

std::vector<ExprPtr> Attention(const OnnxNodeView& view) { return AttentionFormula(view).Outputs(); }

// Every `step`-th element of the last axis in [begin, end).
ExprPtr LastAxis(const OnnxNodeView& view, const ExprPtr& x, int64_t begin, int64_t end, int64_t step = 1) {
  return view.Slice(x, 3, begin, end, step);
}

// The angles per position, batch x positions x half, broadcast over heads.
ExprPtr Angles(const OnnxNodeView& view, int cache, int64_t head_axis) {
  const ExprPtr picked = view.HasInput(3)
                             ? view.Call("take", {view.Input(cache), view.Input(3)}, {{"axis", int64_t{0}}})
                             : view.Input(cache);
  return view.Call("expand_dims", {picked}, {{"axis", head_axis}, {"num_newaxis", int64_t{1}}});
}

// Rotates pairs (a, b) by their angles: (a cos - b sin, a sin + b cos).
std::vector<ExprPtr> RotaryEmbedding(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t heads = view.Int("num_heads", 0), rank = view.InputRank(0);
  if (rank != 4 && (rank != 3 || heads < 1 || shape[2] % heads != 0)) {
    RefuseNode(fmt::format("num_heads is {}; it must divide {}", heads, ShapeText(shape)));
  }
  const ExprPtr x =
      rank == 4 ? view.Input(0) : view.Reshape(view.Input(0), {shape[0], shape[1], heads, shape[2] / heads});
  const Shape split = view.builder().ShapeOf(x);
  const int64_t given = view.Int("rotary_embedding_dim", 0), turned = given == 0 ? split[3] : given;
  if (turned < 2 || turned > split[3] || turned % 2 != 0) RefuseNode(fmt::format("{} elements to rotate", turned));
  const bool interleaved = view.Int("interleaved", 0) != 0;
  const ExprPtr a = interleaved ? LastAxis(view, x, 0, turned, 2) : LastAxis(view, x, 0, turned / 2);
  const ExprPtr b = interleaved ? LastAxis(view, x, 1, turned, 2) : LastAxis(view, x, turned / 2, turned);
  const ExprPtr cosine = Angles(view, 1, rank == 4 ? 1 : 2), sine = Angles(view, 2, rank == 4 ? 1 : 2);
  const auto times = [&](const ExprPtr& p, const ExprPtr& q) { return view.Call("multiply", {p, q}); };
  const ExprPtr first = view.Call("subtract", {times(a, cosine), times(b, sine)});
  const ExprPtr second = view.Call("add", {times(a, sine), times(b, cosine)});
  const auto joined = [&](const std::vector<ExprPtr>& parts, int64_t axis) {
    return view.builder().CallOnTuple("concatenate", parts, {{"axis", axis}});
  };
  const auto column = [&](const ExprPtr& part) {
    return view.Call("expand_dims", {part}, {{"axis", int64_t{4}}, {"num_newaxis", int64_t{1}}});
  };
  ExprPtr result =
      interleaved ? view.Reshape(joined({column(first), column(second)}, 4), {split[0], split[1], split[2], turned})
                  : joined({first, second}, 3);
  if (turned < split[3]) result = joined({result, LastAxis(view, x, turned, split[3])}, 3);
  return {view.Reshape(result, shape)};
}

}  // namespace

OnnxOperatorTable AttentionOperators() {
  return {
      {"Attention",
       3,
       7,
       Attention,
       {"is_causal", "kv_num_heads", "left_window_size", "q_num_heads", "qk_matmul_output_mode", "right_window_size",
        "scale", "softcap", "softmax_precision"},
       {.becomes =
            "add concatenate divide equal less max multiply nn.batch_matmul nn.softmax reshape tanh transpose where",
        .takes_counts = true}},
      {"FlexAttention",
       3,
       3,
       Attention,
       {"prob_mod", "scale", "score_mod", "softmax_precision"},
       {},
       "ai.onnx.preview"},
      {"RotaryEmbedding",
       3,
       4,
       RotaryEmbedding,
       {"interleaved", "num_heads", "rotary_embedding_dim"},
       {.becomes = "add concatenate expand_dims multiply reshape strided_slice subtract", .takes_counts = true}}};
}

}  // namespace hone
