// Layers that carry a state from one position to the next: LinearAttention, CausalConvWithState.
#include <fmt/format.h>

#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

ExprPtr PartOfAxis(const OnnxNodeView& view, const ExprPtr& data, int64_t axis, int64_t begin, int64_t end) {
  return view.Call("strided_slice", {data},
                   {{"begin", Ints{begin}}, {"end", Ints{end}}, {"strides", Ints{1}}, {"axes", Ints{axis}}});
}

// A state S of key size x value size for each head of K and V. At each position:
//    S = exp(decay) S;  v = beta (v - S^T k);  S = S + k v^T;  y = scale S^T q
// Decay and beta apply only to the rules that have them. Positions are unrolled.
class StateAttention {
 public:
  explicit StateAttention(const OnnxNodeView& view) : view_(view) {
    constexpr int64_t kLongest = 1024;
    for (int input = 0; input < 3; ++input) RequireRank3(input);
    const Shape &q = view.InputShape(0), &k = view.InputShape(1), &v = view.InputShape(2);
    batch_ = q[0];
    length_ = q[1];
    const int64_t queries = view.Int("q_num_heads", 0);
    heads_ = view.Int("kv_num_heads", 0);
    if (heads_ < 1 || queries < 1 || queries % heads_ != 0 || q[2] % queries != 0 || v[2] % heads_ != 0) {
      RefuseNode(fmt::format("q_num_heads={} and kv_num_heads={} do not divide {} and {}", queries, heads_,
                             ShapeText(q), ShapeText(v)));
    }
    group_ = queries / heads_;
    key_ = q[2] / queries;
    value_ = v[2] / heads_;
    if (k != Shape{batch_, length_, heads_ * key_} || v[0] != batch_ || v[1] != length_) {
      RefuseNode(
          fmt::format("query, key and value of {}, {} and {} do not fit", ShapeText(q), ShapeText(k), ShapeText(v)));
    }
    if (length_ < 1 || length_ > kLongest) RefuseNode(fmt::format("{} positions; it may have {}", length_, kLongest));
    ReadRule();
  }

  std::vector<ExprPtr> Outputs() {
    ExprPtr state = FirstState();
    std::vector<ExprPtr> results;
    for (int64_t t = 0; t < length_; ++t) {
      state = Next(state, t);
      results.push_back(Read(state, t));
    }
    const ExprPtr all = view_.builder().CallOnTuple("concatenate", results, {{"axis", int64_t{1}}});
    return {all, state};
  }

 private:
  void RequireRank3(int input) const {
    if (view_.InputRank(input) != 3) {
      RefuseNode(fmt::format("input {} is {}, it must be batch x positions x size", input,
                             ShapeText(view_.InputShape(input))));
    }
  }

  void ReadRule() {
    const std::string rule = view_.String("update_rule", "gated_delta");
    gated_ = rule == "gated" || rule == "gated_delta";
    delta_ = rule == "delta" || rule == "gated_delta";
    if (!gated_ && !delta_ && rule != "linear") {
      RefuseNode(fmt::format("update_rule=\"{}\" is not known; linear, gated, delta and gated_delta are", rule));
    }
    if (view_.HasInput(4) != gated_) RefuseNode(fmt::format("update_rule={} and decay do not fit", rule));
    if (view_.HasInput(5) != delta_) RefuseNode(fmt::format("update_rule={} and beta do not fit", rule));
    if (gated_) CheckPerPosition(4, "decay", heads_ * key_);
    if (delta_) CheckPerPosition(5, "beta", 1);
    const double given = view_.Float("scale", 0);
    scale_ = given != 0 ? given : 1 / std::sqrt(static_cast<double>(key_));
  }

  // Requires one number for each head, or `otherwise` numbers.
  void CheckPerPosition(int input, std::string_view what, int64_t otherwise) const {
    const Shape& shape = view_.InputShape(input);
    const bool fits = shape == Shape{batch_, length_, heads_} || shape == Shape{batch_, length_, otherwise};
    if (!fits) {
      RefuseNode(fmt::format("{} is {}; {}x{} by {} or {} is right", what, ShapeText(shape), batch_, length_, heads_,
                             otherwise));
    }
  }

  ExprPtr FirstState() const {
    const Shape shape{batch_, heads_, key_, value_};
    if (ElementCount(shape) > kMostPlaces) RefuseNode(fmt::format("a state of {} is too large", ShapeText(shape)));
    if (!view_.HasInput(3)) {
      view_.builder().Spend(ElementCount(shape) * 4);
      return relay::MakeConstant(Tensor(DType::kFloat32, shape));
    }
    if (view_.InputShape(3) == shape) return view_.Input(3);
    RefuseNode(fmt::format("its past state is {}, it must be {}", ShapeText(view_.InputShape(3)), ShapeText(shape)));
  }

  // An input's values at position t, reshaped to another shape of as many elements.
  ExprPtr At(int input, int64_t t, const Shape& shape) const {
    return view_.Reshape(PartOfAxis(view_, view_.Input(input), 1, t, t + 1), shape);
  }

  ExprPtr Of(std::string_view op, const ExprPtr& a, const ExprPtr& b) const { return view_.Call(op, {a, b}); }

  ExprPtr SumOver(const ExprPtr& terms, int64_t axis, bool keep) const {
    return view_.Call("sum", {terms}, {{"axis", Ints{axis}}, {"keepdims", keep}});
  }

  ExprPtr Next(ExprPtr state, int64_t t) const {
    const ExprPtr k = At(1, t, {batch_, heads_, key_, 1});
    ExprPtr v = At(2, t, {batch_, heads_, 1, value_});
    if (gated_) {
      const bool per_head = view_.InputShape(4)[2] == heads_;
      const ExprPtr decay = At(4, t, {batch_, heads_, per_head ? 1 : key_, 1});
      state = Of("multiply", state, view_.Call("exp", {decay}));
    }
    if (delta_) {
      const ExprPtr beta = At(5, t, {batch_, view_.InputShape(5)[2], 1, 1});
      v = Of("multiply", beta, Of("subtract", v, SumOver(Of("multiply", state, k), 2, true)));
    }
    return Of("add", state, Of("multiply", k, v));
  }

  // The heads of Q that share a head of K are successive.
  ExprPtr Read(const ExprPtr& state, int64_t t) const {
    const ExprPtr q = At(0, t, {batch_, heads_, group_, key_, 1});
    const ExprPtr shared = view_.Reshape(state, {batch_, heads_, 1, key_, value_});
    const ExprPtr y = WithScalar(view_, "multiply", SumOver(Of("multiply", shared, q), 3, false), scale_);
    return view_.Reshape(y, {batch_, 1, heads_ * group_ * value_});
  }

  const OnnxNodeView& view_;
  int64_t batch_ = 0, length_ = 0, heads_ = 0, group_ = 0, key_ = 0, value_ = 0;
  bool gated_ = false, delta_ = false;
  double scale_ = 1;
};

std::vector<ExprPtr> LinearAttention(const OnnxNodeView& view) { return StateAttention(view).Outputs(); }

// A convolution of each channel separately over its past. The second output is the part of the past that the next call
// needs.
std::vector<ExprPtr> CausalConvWithState(const OnnxNodeView& view) {
  const Shape data = view.InputShape(0), weight = view.InputShape(1);
  if (data.size() != 3 || weight.size() != 3 || weight[0] != data[1] || weight[1] != 1 || weight[2] < 1) {
    RefuseNode(
        fmt::format("data {} with a weight {}; N x C x L with C x 1 x K is right", ShapeText(data), ShapeText(weight)));
  }
  const std::string activation = view.String("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    RefuseNode(fmt::format("activation=\"{}\" is not known; none, silu and swish are", activation));
  }
  const int64_t channels = data[1], past = weight[2] - 1, length = data[2] + past;
  if (view.HasInput(3) && view.InputShape(3) != Shape{data[0], channels, past}) {
    RefuseNode(fmt::format("its past state is {}, it must be {}", ShapeText(view.InputShape(3)),
                           ShapeText({data[0], channels, past})));
  }
  ExprPtr whole = view.Input(0);
  if (past > 0) {
    whole = view.HasInput(3) ? view.builder().CallOnTuple("concatenate", {view.Input(3), whole}, {{"axis", int64_t{2}}})
                             : view.Call("nn.pad", {whole}, {{"pad_width", Ints{0, 0, 0, 0, past, 0}}});
  }
  ExprPtr y = view.Call(
      "nn.conv2d",
      {view.Reshape(whole, {data[0], channels, 1, length}), view.Reshape(view.Input(1), {channels, 1, 1, weight[2]})},
      {{"strides", Ints{1, 1}},
       {"padding", Ints{0, 0, 0, 0}},
       {"dilation", Ints{1, 1}},
       {"groups", channels},
       {"channels", channels},
       {"kernel_size", Ints{1, weight[2]}}});
  if (view.HasInput(2)) y = view.Call("nn.bias_add", {y, view.Input(2)});
  if (activation != "none") y = view.Call("nn.silu", {y});
  return {view.Reshape(y, data), PartOfAxis(view, whole, 2, length - past, length)};
}

}  // namespace

OnnxOperatorTable StateOperators() {
  return {{"LinearAttention",
           3,
           6,
           LinearAttention,
           {"chunk_size", "kv_num_heads", "q_num_heads", "scale", "update_rule"},
           {.becomes = "add concatenate exp multiply reshape strided_slice subtract sum"}},
          {"CausalConvWithState",
           2,
           4,
           CausalConvWithState,
           {"activation"},
           {.becomes = "concatenate nn.bias_add nn.conv2d nn.pad nn.silu reshape strided_slice"}}};
}

}  // namespace hone
