// Support vector machines (domain ai.onnx.ml).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/classical/onnx.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

ExprPtr RowsOf(const std::vector<float>& values, int64_t rows) {
  return relay::MakeConstant(
      Tensor::FromVector(DType::kFloat32, {rows, static_cast<int64_t>(values.size()) / rows}, values));
}

// x times the transposed rows: a column for each of them.
ExprPtr Products(const OnnxNodeView& view, const ExprPtr& x, const ExprPtr& rows) {
  const Shape given = view.builder().ShapeOf(x), wanted = view.builder().ShapeOf(rows);
  if (given[1] != wanted[1]) RefuseNode(fmt::format("its vectors have {} features, X has {}", wanted[1], given[1]));
  return view.Call("nn.dense", {x, rows}, {{"units", wanted[0]}});
}

// A number for each row of x and each support vector, by kernel_type. Squared distances are sums of squares: the
// difference of products would lose the digits of vectors that lie far from 0.
ExprPtr SupportKernel(const OnnxNodeView& view, const ExprPtr& x, const ExprPtr& vectors) {
  const std::string kind = view.String("kernel_type", "LINEAR");
  std::vector<float> params = FloatsOf(view, "kernel_params");
  if (params.empty()) params.assign(3, 0);
  RequireCount("kernel_params", params.size(), 3, "kernel parameters (gamma, coef0, degree)");
  if (kind == "RBF") {
    const ExprPtr apart = view.Call("subtract", {view.Call("expand_dims", {x}, {{"axis", int64_t{1}}}), vectors});
    const ExprPtr distances = view.Call("sum", {view.Call("multiply", {apart, apart})},
                                        {{"axis", std::vector<int64_t>{2}}, {"keepdims", false}});
    return view.Call("exp", {WithScalar(view, "multiply", distances, -params[0])});
  }
  const ExprPtr products = Products(view, x, vectors);
  if (kind == "LINEAR") return products;
  const ExprPtr line = WithScalar(view, "add", WithScalar(view, "multiply", products, params[0]), params[1]);
  if (kind == "SIGMOID") return view.Call("tanh", {line});
  if (kind == "POLY") return WithScalar(view, "power", line, params[2]);
  RefuseNode(fmt::format("kernel_type is \"{}\"; it may be LINEAR, POLY, RBF or SIGMOID", kind));
}

std::vector<float> Rho(const OnnxNodeView& view, size_t wanted) {
  std::vector<float> rho = FloatsOf(view, "rho");
  RequireCount("rho", rho.size(), wanted, "scores");
  return rho;
}

// As many vectors as there are, of equal lengths.
ExprPtr SupportVectors(const OnnxNodeView& view, int64_t count) {
  const std::vector<float> values = FloatsOf(view, "support_vectors");
  if (values.empty() || values.size() % static_cast<size_t>(count) != 0) {
    RefuseNode(fmt::format("{} numbers are no {} support vectors", values.size(), count));
  }
  return RowsOf(values, count);
}

std::vector<ExprPtr> SvmRegressor(const OnnxNodeView& view) {
  const ExprPtr x = AsDType(view, FeatureMatrix(view), DType::kFloat32);
  const std::vector<float> coefficients = FloatsOf(view, "coefficients");
  if (coefficients.empty()) RefuseNode("it has no coefficients");
  const int64_t vectors = view.Int("n_supports", 0);
  if (vectors > 0) RequireCount("coefficients", coefficients.size(), static_cast<size_t>(vectors), "support vectors");
  const ExprPtr inner = vectors > 0 ? SupportKernel(view, x, SupportVectors(view, vectors)) : x;
  const ExprPtr sums = WithScalar(view, "add", Products(view, inner, RowsOf(coefficients, 1)), Rho(view, 1)[0]);
  if (view.Int("one_class", 0) == 0) return {PostTransform(view, sums, view.String("post_transform", "NONE"))};
  const ExprPtr is_inside = view.Call("greater", {sums, ScalarLike(view, sums, 0)});
  return {view.Call("where", {is_inside, ScalarLike(view, sums, 1), ScalarLike(view, sums, -1)})};
}

class SupportClassifier {
 public:
  explicit SupportClassifier(const OnnxNodeView& view)
      : view_(view),
        labels_(view.Ints("classlabels_ints", {})),
        per_class_(view.Ints("vectors_per_class", {})),
        coefficients_(FloatsOf(view, "coefficients")),
        slopes_(FloatsOf(view, "prob_a")) {
    if (labels_.size() < 2) {
      RefuseNode(
          "classlabels_ints must name two labels or more; labels of text are not supported; train it on "
          "numbers, and keep their names outside");
    }
    if (coefficients_.empty()) RefuseNode("it has no coefficients");
    for (const int64_t each : per_class_) {
      if (each < 0) RefuseNode(fmt::format("vectors_per_class has {}", each));
    }
    vectors_ = std::accumulate(per_class_.begin(), per_class_.end(), int64_t{0});
  }

  // Labels, and scores or probabilities.
  std::vector<ExprPtr> Results() const {
    const ExprPtr x = AsDType(view_, FeatureMatrix(view_), DType::kFloat32);
    const ExprPtr scores = vectors_ > 0 ? PairScores(x) : LinearScores(x);
    const ExprPtr votes = vectors_ > 0 ? Votes(scores) : scores;
    const ExprPtr names = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {classes()}, labels_));
    const bool likely = vectors_ > 0 && !slopes_.empty();
    return {view_.Call("take", {names, likely ? Most(votes) : Best(votes)}, {{"axis", int64_t{0}}}),
            likely ? Probabilities(scores) : Given(scores)};
  }

 private:
  int64_t classes() const { return static_cast<int64_t>(labels_.size()); }
  int64_t pairs() const { return classes() * (classes() - 1) / 2; }

  ExprPtr LinearScores(const ExprPtr& x) const {
    if (static_cast<int64_t>(coefficients_.size()) % classes() != 0) {
      RefuseNode(fmt::format("{} coefficients for {} classes", coefficients_.size(), classes()));
    }
    const std::vector<float> rho = FloatsOf(view_, "rho");
    if (rho.empty()) RefuseNode("it has no rho");
    return WithScalar(view_, "add", Products(view_, x, RowsOf(coefficients_, classes())), rho[0]);
  }

  // Calls pair(number, a, b) for each pair of classes, in ONNX's order.
  template <typename Pair>
  void ForPairs(const Pair& pair) const {
    int64_t number = 0;
    for (int64_t a = 0; a < classes(); ++a) {
      for (int64_t b = a + 1; b < classes(); ++b) pair(number++, a, b);
    }
  }

  // A column for each pair of classes: above 0 the first is likelier. Only the vectors of the two count.
  ExprPtr PairScores(const ExprPtr& x) const {
    RequireCount("vectors_per_class", per_class_.size(), labels_.size(), "classes");
    RequireCount("coefficients", coefficients_.size(), static_cast<size_t>((classes() - 1) * vectors_),
                 "support vectors of all classes but one");
    std::vector<float> weights(static_cast<size_t>(pairs() * vectors_));
    const auto take = [&](int64_t pair, int64_t of, int64_t row) {
      const int64_t begin = std::accumulate(per_class_.begin(), per_class_.begin() + of, int64_t{0});
      for (int64_t v = begin; v < begin + Nth(per_class_, of); ++v) {
        Nth(weights, pair * vectors_ + v) = Nth(coefficients_, row * vectors_ + v);
      }
    };
    ForPairs([&](int64_t pair, int64_t a, int64_t b) {
      take(pair, a, b - 1);
      take(pair, b, a);
    });
    const ExprPtr kernel = SupportKernel(view_, x, SupportVectors(view_, vectors_));
    const std::vector<float> rho = Rho(view_, static_cast<size_t>(pairs()));
    return view_.Call("nn.bias_add", {Products(view_, kernel, RowsOf(weights, pairs())),
                                      relay::MakeConstant(Tensor::FromVector(DType::kFloat32, {pairs()}, rho))});
  }

  // The number of pairs that each class wins.
  ExprPtr Votes(const ExprPtr& scores) const {
    std::vector<float> wins(static_cast<size_t>(classes() * pairs())), second(static_cast<size_t>(classes()));
    ForPairs([&](int64_t pair, int64_t a, int64_t b) {
      Nth(wins, a * pairs() + pair) = 1;
      Nth(wins, b * pairs() + pair) = -1;
      ++Nth(second, b);
    });
    const ExprPtr first_wins =
        AsDType(view_, view_.Call("greater", {scores, ScalarLike(view_, scores, 0)}), DType::kFloat32);
    return view_.Call("nn.bias_add", {Products(view_, first_wins, RowsOf(wins, classes())),
                                      relay::MakeConstant(Tensor::FromVector(DType::kFloat32, {classes()}, second))});
  }

  ExprPtr Most(const ExprPtr& votes) const { return view_.Call("argmax", {votes}, {{"axis", int64_t{1}}}); }

  // The class with most votes. With two classes and no negative coefficient, it is the second from a half on.
  ExprPtr Best(const ExprPtr& votes) const {
    const ExprPtr best = Most(votes);
    if (classes() > 2 || std::ranges::any_of(coefficients_, [](float each) { return each < 0; })) return best;
    const ExprPtr most = view_.Call("max", {votes}, {{"axis", std::vector<int64_t>{1}}, {"keepdims", false}});
    return view_.Call(
        "where", {view_.Call("greater_equal", {most, ScalarLike(view_, most, 0.5)}), ScalarLike(view_, best, 1), best});
  }

  // A sigmoid of each pair's score, with a slope and an offset of its own, is how likely the first class is.
  ExprPtr Probabilities(const ExprPtr& scores) const {
    constexpr double kLeast = 1e-7;
    const std::vector<float> offsets = FloatsOf(view_, "prob_b");
    RequireCount("prob_a", slopes_.size(), static_cast<size_t>(pairs()), "pairs of classes");
    RequireCount("prob_b", offsets.size(), static_cast<size_t>(pairs()), "pairs of classes");
    const ExprPtr line = view_.Call("add", {view_.Call("multiply", {scores, RowsOf(slopes_, 1)}), RowsOf(offsets, 1)});
    const ExprPtr first = view_.Call("sigmoid", {view_.Call("negative", {line})});
    const ExprPtr bounded = WithScalar(view_, "minimum", WithScalar(view_, "maximum", first, kLeast), 1 - kLeast);
    return PostTransform(view_, view_.Call("couple_pairs", {bounded}), view_.String("post_transform", "NONE"));
  }

  // One score of two classes stands for both.
  ExprPtr Given(const ExprPtr& scores) const {
    const std::string transform = view_.String("post_transform", "NONE");
    if (vectors_ == 0 || classes() > 2 || transform == "PROBIT") return PostTransform(view_, scores, transform);
    const ExprPtr both =
        view_.builder().CallOnTuple("concatenate", {view_.Call("negative", {scores}), scores}, {{"axis", int64_t{1}}});
    return PostTransform(view_, both, transform);
  }

  const OnnxNodeView& view_;
  const std::vector<int64_t> labels_, per_class_;
  const std::vector<float> coefficients_, slopes_;
  int64_t vectors_ = 0;
};

std::vector<ExprPtr> SvmClassifier(const OnnxNodeView& view) { return SupportClassifier(view).Results(); }

}  // namespace

OnnxOperatorTable SupportVectorOperators() {
  return {
      {"SVMRegressor",
       1,
       1,
       SvmRegressor,
       {"coefficients", "kernel_params", "kernel_type", "n_supports", "one_class", "post_transform", "rho",
        "support_vectors"},
       {.becomes = "add exp expand_dims greater multiply nn.dense power subtract sum tanh where", .takes_counts = true},
       kClassical},
      {"SVMClassifier",
       1,
       1,
       SvmClassifier,
       {"classlabels_ints", "classlabels_strings", "coefficients", "kernel_params", "kernel_type", "post_transform",
        "prob_a", "prob_b", "rho", "support_vectors", "vectors_per_class"},
       {.becomes = "add argmax cast concatenate couple_pairs exp expand_dims greater maximum minimum multiply negative "
                   "nn.bias_add nn.dense "
                   "power sigmoid subtract sum take tanh",
        .takes_counts = true},
       kClassical}};
}

}  // namespace hone
