// GroupQueryAttention, as ONNX Runtime's exporters of language models write it: a cache of keys and values, rotary
// positions and one attention whose heads of keys serve groups of queries.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/count_join.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/text/printable.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The node's inputs, by number:
//   0, 1, 2  query, key, value        5  the last position per image (seqlens_k)   9   positions of the queries
//   3, 4     past keys and values     6  the number of positions altogether        10  a bias of the scores
//   7, 8     cosines and sines by position
//
//   cache   | past ......... | S new keys | 0 0 0 |      one row per image; the past has seqlens_k + 1 - S keys
//   query i sees the keys up to its own position, the past's number + i
//
// A past whose extent is counted in a run gives a cache of those positions and the new ones. A past of fixed
// extent is a buffer with room for what follows. A cache of a window (sliding_window_cache) keeps its extent: its first
// rows are the latest positions.
class GroupedAttention {
 public:
  explicit GroupedAttention(const OnnxNodeView& view) : view_(view) {
    CheckForm();
    ReadSizes();
    past_keys_ = windowed_ ? Below0As0(view_.Call("subtract", {Totals(), ExtentOf(view_.builder(), view_.Input(0), 1)}))
                           : PastKeys();
  }

  // The result, and the keys and values with those of this run.
  std::vector<ExprPtr> Outputs() const {
    const ExprPtr q = Rotated(Heads(0)), k = Rotated(Heads(1)), v = Heads(2);
    NodeAttributes attributes = AttributesOf(view_, {"softcap"});
    if (view_.Float("scale", 0) != 0) attributes.emplace_back("scale", *view_.Find("scale"));
    if (const int64_t window = view_.Int("local_window_size", -1); window > 0) {
      attributes.emplace_back("left_window_size", NodeInt(window - 1));
    }
    attributes.emplace_back("is_causal", NodeInt(view_.Int("causal", 1)));
    if (windowed_) return OfWindow(q, k, v, attributes);
    if (grows_) {
      // The formula joins a past of the run's extent and the new rows by itself.
      std::vector<ExprPtr> all =
          ComposedResults(view_, "Attention", {q, k, v, Bias(), view_.Input(3), view_.Input(4)}, attributes, 3);
      return {Rows(all.at(0)), all.at(1), all.at(2)};
    }
    const ExprPtr keys = Cached(3, k), values = Cached(4, v);
    // In a prompt, queries and keys begin together. Later the queries are each image's last keys.
    const ExprPtr counts = is_prompt_ ? nullptr : Totals();
    const ExprPtr y = Composed(view_, "Attention", {q, keys, values, Bias(), nullptr, nullptr, counts}, attributes);
    return {Rows(y), keys, values};
  }

 private:
  ExprPtr Rows(const ExprPtr& heads) const {
    const ExprPtr rows = view_.Call("transpose", {heads}, {{"axes", std::vector<int64_t>{0, 2, 1, 3}}});
    return view_.Reshape(rows, {batch_, queries_, heads_ * size_});
  }

  void CheckForm() const {
    const auto refuse_set = [&](std::string_view name, int64_t usual) {
      if (view_.Int(name, usual) != usual)
        RefuseNode(fmt::format("{} is {}; {} is supported", name, view_.Int(name, usual), usual));
    };
    refuse_set("smooth_softmax", 0);
    refuse_set("qk_output", 0);
    refuse_set("sliding_window_cache", windowed_ ? 1 : 0);
    if (windowed_ && (view_.Int("local_window_size", -1) < 1 || view_.Int("causal", 1) != 1 || !view_.HasInput(3))) {
      RefuseNode("sliding_window_cache needs a past, causal = 1 and a local_window_size of 1 or more");
    }
    if (windowed_ && view_.HasInput(10)) {
      RefuseNode("a bias of the scores with sliding_window_cache is not supported; without that attribute it is");
    }
    for (int input = 11; input < view_.num_inputs(); ++input) {
      if (view_.HasInput(input)) RefuseNode(fmt::format("input {} is not supported; the first 11 are", input));
    }
    for (const int input : {0, 5, 6}) view_.Input(input);
    for (const int input : {0, view_.HasInput(1) ? 1 : 0, view_.HasInput(2) ? 2 : 0}) {
      if (view_.InputRank(input) != 3)
        RefuseNode(fmt::format("input {} is {}", input, ShapeText(view_.InputShape(input))));
    }
  }

  void ReadSizes() {
    heads_ = view_.Int("num_heads", 0), groups_ = view_.Int("kv_num_heads", 0);
    const Shape shape = view_.InputShape(0);
    packed_ = !view_.HasInput(1);
    const int64_t parts = packed_ ? heads_ + 2 * groups_ : heads_;
    if (groups_ < 1 || heads_ < 1 || heads_ % groups_ != 0 || shape[2] % parts != 0) {
      RefuseNode(fmt::format("{} heads in {} groups do not fit {}", heads_, groups_, ShapeText(shape)));
    }
    batch_ = shape[0], queries_ = shape[1], size_ = shape[2] / parts;
    room_ = view_.HasInput(3) ? Past(3)[2] : 0;
    if (windowed_) return ReadWindow();
    const bool is_free =
        view_.InputValue(6) == nullptr && (!view_.builder().CountsOf(view_.Input(0)).empty() || IsPastCounted());
    if (is_free) return LeaveToRuns();
    const auto total = view_.InputInts(6, "total_sequence_length (--value NAME=NUMBER gives an input's)");
    if (total->size() != 1 || total->front() < queries_) {
      RefuseNode(fmt::format("total_sequence_length is less than the {} queries", queries_));
    }
    is_prompt_ = total->front() == queries_;
    capacity_ = std::max(total->front(), room_);
  }

  void ReadWindow() {
    const int64_t window = view_.Int("local_window_size", -1);
    if (room_ < window) RefuseNode(fmt::format("a cache of {} for a window of {}", Counted(room_, "position"), window));
    RequireElements(view_.builder(), view_.Input(3), 2, CountOf(window));
  }

  bool IsPastCounted() const { return view_.HasInput(3) && IsCounted(view_.builder(), view_.Input(3), 2); }

  // The numbers of queries, or of past keys, follow from the extents of a run. So does total_sequence_length, which is
  // only compared, unless the past is a buffer with room.
  void LeaveToRuns() {
    TypedBuilder& builder = view_.builder();
    const bool keeps_bound = view_.HasInput(3) && (!IsPastCounted() || builder.Appends(view_.Input(3), 2));
    capacity_ = keeps_bound ? room_ : room_ + queries_;
    if (view_.HasInput(3) && !IsPastCounted()) return;
    positions_ = ExtentOf(builder, view_.Input(0), 1);
    if (view_.HasInput(3)) positions_ = view_.Call("add", {ExtentOf(builder, view_.Input(3), 2), positions_});
    builder.RequireEqual(AsDType(view_, view_.Reshape(view_.Input(6), {}), DType::kInt64), positions_);
    if (keeps_bound) builder.RequireCount(positions_, capacity_);
    grows_ = view_.HasInput(3) && batch_ == 1;
  }

  const Shape& Past(int input) const {
    const Shape& shape = view_.InputShape(input);
    if (shape.size() != 4 || shape[0] != batch_ || shape[1] != groups_ || shape[3] != size_) {
      RefuseNode(fmt::format("a past of {} for {} images, {} heads of {}", ShapeText(shape), batch_, groups_, size_));
    }
    return shape;
  }

  // Per image, the number of keys after this run, and the number of those before it.
  ExprPtr Totals() const {
    return WithScalar(view_, "add", AsDType(view_, view_.Reshape(view_.Input(5), {batch_}), DType::kInt64), 1);
  }
  ExprPtr PastKeys() const {
    if (is_prompt_) return relay::MakeConstant(Tensor(DType::kInt64, {batch_}));
    if (grows_) return view_.Reshape(ExtentOf(view_.builder(), view_.Input(3), 2), {batch_});
    return view_.Call("subtract", {Totals(), ExtentOf(view_.builder(), view_.Input(0), 1)});
  }

  ExprPtr Below0As0(const ExprPtr& x) const { return WithScalar(view_, "maximum", x, 0); }

  // The number of rows that a cache of C places for a window of W keeps of each image's `total` positions:
  //
  //    total                                          up to C
  //    total - G * ceil((total - C) / G)              beyond it, where G = C - W + 1
  ExprPtr Resident(const ExprPtr& total) const {
    const auto call = [&](std::string_view op, const ExprPtr& a, const ExprPtr& b) { return view_.Call(op, {a, b}); };
    const ExprPtr places = ExtentOf(view_.builder(), view_.Input(3), 2);
    const ExprPtr group =
        WithScalar(view_, "subtract", places, static_cast<double>(view_.Int("local_window_size", 1) - 1));
    const ExprPtr beyond = call("add", call("subtract", total, places), WithScalar(view_, "subtract", group, 1));
    return call("subtract", total, call("multiply", group, call("divide", Below0As0(beyond), group)));
  }

  // The rows from a position of each image on, as many as the past has. What lies behind them may be anything.
  ExprPtr LastRows(const ExprPtr& rows, const ExprPtr& first) const {
    TypedBuilder& builder = view_.builder();
    const int64_t most = Nth(builder.ShapeOf(rows), 2) - 1;
    std::vector<ExprPtr> images;
    for (int64_t i = 0; i < batch_; ++i) {
      const ExprPtr image = batch_ == 1 ? rows : view_.Slice(rows, 0, i, i + 1);
      const ExprPtr from = view_.Call("add", {Positions(room_, 0, 1), view_.Slice(first, 0, i, i + 1)});
      const ExprPtr bounded = Below0As0(WithScalar(view_, "minimum", from, static_cast<double>(most)));
      images.push_back(builder.Uncounted("take", {image, bounded}, {{"axis", int64_t{2}}}));
    }
    const ExprPtr all =
        batch_ == 1 ? images[0] : builder.UncountedOnTuple("concatenate", images, {{"axis", int64_t{0}}});
    builder.SetCounts(all, builder.CountsOf(view_.Input(3)));
    return all;
  }

  // The new rows follow those that the past still has. Queries see them as they lie there, and the latest stay.
  std::vector<ExprPtr> OfWindow(const ExprPtr& q, const ExprPtr& k, const ExprPtr& v, NodeAttributes attributes) const {
    TypedBuilder& builder = view_.builder();
    const ExprPtr kept = Resident(past_keys_);
    const ExprPtr all = view_.Call("add", {kept, ExtentOf(builder, view_.Input(0), 1)});
    const auto joined = [&](int past, const ExprPtr& rows) {
      const ExprPtr cache = WithRows(builder, OwnPast(view_.Input(past), kept), rows, 2, kept, room_ + queries_);
      Counts counts(4);
      if (batch_ == 1) counts[2] = view_.Reshape(all, {});
      builder.SetCounts(cache, std::move(counts));
      return cache;
    };
    const ExprPtr keys = joined(3, k), values = joined(4, v);
    const ExprPtr y =
        Composed(view_, "Attention", {q, keys, values, nullptr, nullptr, nullptr, all}, std::move(attributes));
    const ExprPtr first = view_.Call("subtract", {all, Resident(Totals())});
    return {Rows(y), LastRows(keys, first), LastRows(values, first)};
  }

  // Queries (0), keys (1) or values (2) as batch x heads x positions x size.
  ExprPtr Heads(int which) const {
    const int64_t count = which == 0 ? heads_ : groups_;
    const int64_t before = which == 0 ? 0 : heads_ + (which - 1) * groups_;
    const ExprPtr flat =
        packed_ ? view_.Slice(view_.Input(0), 2, before * size_, (before + count) * size_) : view_.Input(which);
    const ExprPtr split = view_.Reshape(flat, {batch_, queries_, count, size_});
    return view_.Call("transpose", {split}, {{"axes", std::vector<int64_t>{0, 2, 1, 3}}});
  }

  ExprPtr Rotated(const ExprPtr& heads) const {
    if (view_.Int("do_rotary", 0) == 0) return heads;
    ExprPtr positions;
    if (view_.HasInput(9) && !is_prompt_) {
      positions = view_.Input(9);
    } else {
      positions = view_.Call(
          "add", {view_.Reshape(past_keys_, {batch_, 1}), PositionsAlong(view_.builder(), view_.Input(0), 1, 1, 2)});
      if (view_.HasInput(9)) {
        const ExprPtr first =
            AsDType(view_, view_.Slice(view_.Reshape(view_.Input(9), {ElementCount(view_.InputShape(9))}), 0, 0, 1),
                    DType::kInt64);
        positions = view_.Call("add", {positions, view_.Reshape(first, {1, 1})});
      }
    }
    const int64_t turned = 2 * view_.InputShape(7).back();
    NodeAttributes attributes{{"interleaved", NodeInt(view_.Int("rotary_interleaved", 0))}};
    if (turned < size_) attributes.emplace_back("rotary_embedding_dim", NodeInt(turned));
    return Composed(view_, "RotaryEmbedding", {heads, view_.Input(7), view_.Input(8), positions},
                    std::move(attributes));
  }

  // The cache with the new rows behind each image's past. Behind these are zeros, or what a state was left with.
  ExprPtr Cached(int past, const ExprPtr& rows) const {
    if (is_prompt_ && queries_ == capacity_) return rows;
    const int64_t given = view_.HasInput(past) && !is_prompt_ ? Past(past)[2] : 0;
    if (given == 0 && positions_ != nullptr) return rows;
    const bool is_kept = given > 0 && view_.builder().Appends(view_.Input(past), 2);
    ExprPtr before;
    if (given == 0) {
      const Shape room{batch_, groups_, capacity_, size_};
      view_.builder().Spend(ElementCount(room) * 4);
      before = relay::MakeConstant(Tensor(view_.builder().DTypeOf(rows), room));
    } else {
      before = is_kept || positions_ != nullptr ? view_.Input(past) : OwnPast(view_.Input(past), past_keys_);
    }
    const ExprPtr cache = WithRows(view_.builder(), before, rows, 2, past_keys_, capacity_);
    Counts counts(4);
    counts[2] = positions_;
    view_.builder().SetCounts(cache, std::move(counts));
    return cache;
  }

  // The keys or values of each image's own past; zeros behind it.
  ExprPtr OwnPast(const ExprPtr& past, const ExprPtr& own_rows) const {
    const ExprPtr places = PositionsAlong(view_.builder(), past, 2, 2, 4);
    const ExprPtr own = view_.Call("less", {places, view_.Reshape(own_rows, {batch_, 1, 1, 1})});
    return view_.Call("where", {own, past, ScalarLike(view_, past, 0)});
  }

  // The bias of the scores has one column for each position altogether; the cache may have room for more.
  ExprPtr Bias() const { return view_.HasInput(10) ? view_.Input(10) : nullptr; }

  const OnnxNodeView& view_;
  const bool windowed_ = view_.Int("sliding_window_cache", 0) == 1;
  int64_t batch_ = 0, queries_ = 0, heads_ = 0, groups_ = 0, size_ = 0;
  int64_t room_ = 0;      // positions of the given cache, at most
  int64_t capacity_ = 0;  // positions of the resulting cache, at most
  bool packed_ = false;   // queries, keys and values lie side by side in the first input
  bool is_prompt_ = false;
  // The past of one image has the extent of a run, and so has the cache. seqlens_k tells nothing more.
  bool grows_ = false;
  ExprPtr positions_;  // of the resulting cache in a run; null if they are capacity_
  ExprPtr past_keys_;  // per image
};

std::vector<ExprPtr> GroupQueryAttention(const OnnxNodeView& view) { return GroupedAttention(view).Outputs(); }

}  // namespace

OnnxOperatorTable GroupedAttentionOperators() {
  return {{"GroupQueryAttention",
           1,
           17,
           GroupQueryAttention,
           {"causal", "do_rotary", "k_norm_epsilon", "k_quant_type", "kv_cache_bit_width", "kv_num_heads",
            "local_window_size", "num_heads", "q_norm_epsilon", "qk_norm_epsilon", "qk_output", "rotary_interleaved",
            "scale", "sliding_window_cache", "smooth_softmax", "softcap", "v_quant_type"},
           {.becomes = "add append_rows cast concatenate divide equal expand_dims greater_equal less less_equal max "
                       "maximum minimum multiply nn.batch_matmul nn.softmax reshape strided_slice subtract take "
                       "transpose where",
            .takes_counts = true},
           kMicrosoft}};
}

}  // namespace hone
