// Operators that scikit-learn's converters put around a network (domain ai.onnx.ml): scalings and linear models.
#include "compiler/ops/classical/onnx.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Kind = OnnxAttribute::Kind;

// A list of floats as a vector; null if it is absent or empty.
ExprPtr FloatList(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* list = view.Find(name);
  if (list == nullptr || list->floats.empty()) return nullptr;
  const std::vector<float> values(list->floats.begin(), list->floats.end());
  return relay::MakeConstant(Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values),
                             std::string(name));
}

// Requires one number, or one for each feature.
void RequireFeatures(const OnnxNodeView& view, const ExprPtr& list, std::string_view name) {
  const int64_t count = view.builder().ShapeOf(list)[0],
                features = view.InputRank(0) > 0 ? view.InputShape(0).back() : 1;
  if (count != 1 && count != features) {
    RefuseNode(fmt::format("{} holds {} numbers for {} features", name, count, features));
  }
}

std::vector<ExprPtr> Scaler(const OnnxNodeView& view) {
  ExprPtr x = AsDType(view, view.Input(0), DType::kFloat32);
  for (const auto& [name, op] : {std::pair{"offset", "subtract"}, std::pair{"scale", "multiply"}}) {
    const ExprPtr list = FloatList(view, name);
    if (list == nullptr) continue;
    RequireFeatures(view, list, name);
    x = view.Call(op, {x, list});
  }
  return {x};
}

std::vector<ExprPtr> Normalizer(const OnnxNodeView& view) {
  const std::string norm = view.String("norm", "MAX");
  const ExprPtr x = AsDType(view, view.Input(0), DType::kFloat32);
  const relay::Attrs last{{"axis", std::vector<int64_t>{-1}}, {"keepdims", true}};
  ExprPtr size;
  if (norm == "MAX") {
    size = view.Call("max", {x}, last);
  } else if (norm == "L1") {
    size = view.Call("sum", {view.Call("abs", {x})}, last);
  } else if (norm == "L2") {
    size = view.Call("sqrt", {view.Call("sum", {view.Call("multiply", {x, x})}, last)});
  } else {
    RefuseNode(fmt::format("norm is \"{}\"; it may be MAX, L1 or L2", norm));
  }
  // A row of zeros stays one.
  const ExprPtr none = view.Call("equal", {size, ScalarLike(view, size, 0)});
  return {view.Call("divide", {x, view.Call("where", {none, ScalarLike(view, size, 1), size})})};
}

std::vector<ExprPtr> Binarizer(const OnnxNodeView& view) {
  const ExprPtr above =
      view.Call("greater", {view.Input(0), ScalarLike(view, view.Input(0), view.Float("threshold", 0))});
  return {view.Call("cast", {above}, {{"dtype", std::string(DTypeName(view.builder().DTypeOf(view.Input(0))))}})};
}

// Takes columns of the last axis.
std::vector<ExprPtr> ArrayFeatureExtractor(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  if (shape.empty() || ElementCount(shape) == 0) {
    RefuseNode(fmt::format("X is {}; it must have features", ShapeText(shape)));
  }
  const ExprPtr columns = view.Reshape(view.Input(1), {ElementCount(view.InputShape(1))});
  const ExprPtr rows = view.Reshape(view.Input(0), {ElementCount(shape) / shape.back(), shape.back()});
  Shape result(shape.begin(), shape.end() - 1);
  if (result.empty()) result.push_back(1);
  result.push_back(ElementCount(view.InputShape(1)));
  return {view.Reshape(view.Call("take", {rows, columns}, {{"axis", int64_t{1}}}), result)};
}

// X times the coefficients of each target, plus the intercepts; with `transformed`, also the final transform.
ExprPtr Scores(const OnnxNodeView& view, int64_t targets, bool transformed) {
  const ExprPtr data = FeatureMatrix(view);
  const int64_t features = view.builder().ShapeOf(data)[1];
  const ExprPtr coefficients = FloatList(view, "coefficients"), intercepts = FloatList(view, "intercepts");
  const int64_t count = coefficients ? view.builder().ShapeOf(coefficients)[0] : 0;
  if (targets < 1 || count % features != 0 || count / features != targets) {
    RefuseNode(fmt::format("{} coefficients for {} targets of {} features", count, targets, features));
  }
  ExprPtr sums = view.Call("nn.dense", {data, view.Reshape(coefficients, {targets, features})}, {{"units", targets}});
  if (intercepts != nullptr) {
    const int64_t given = view.builder().ShapeOf(intercepts)[0];
    if (given != targets) RefuseNode(fmt::format("{} intercepts for {} targets", given, targets));
    sums = view.Call("nn.bias_add", {sums, intercepts});
  }
  return transformed ? PostTransform(view, sums, view.String("post_transform", "NONE")) : sums;
}

std::vector<ExprPtr> LinearRegressor(const OnnxNodeView& view) { return {Scores(view, view.Int("targets", 1), true)}; }

// The label of the largest score, and the scores.
std::vector<ExprPtr> LinearClassifier(const OnnxNodeView& view) {
  const std::vector<int64_t> labels = view.Ints("classlabels_ints", {});
  if (labels.size() < 2)
    RefuseNode(
        "classlabels_ints must name two labels or more; labels of text are not supported; "
        "train it on numbers, and keep their names outside");
  const auto count = static_cast<int64_t>(labels.size());
  const ExprPtr best = view.Call("argmax", {Scores(view, count, false)}, {{"axis", int64_t{1}}});
  const ExprPtr names = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {count}, labels));
  return {view.Call("take", {names, best}, {{"axis", int64_t{0}}}), Scores(view, count, true)};
}

// A softmax in which scores of 0 stay 0.
ExprPtr SoftmaxZero(const OnnxNodeView& view, const ExprPtr& scores) {
  const auto number = [&](double value) { return ScalarLike(view, scores, value); };
  const ExprPtr is_score = view.Call("greater", {view.Call("abs", {scores}), number(1e-7)});
  const relay::Attrs row{{"axis", std::vector<int64_t>{1}}, {"keepdims", true}};
  const ExprPtr largest = view.Call("max", {scores}, row);
  const ExprPtr power = view.Call("exp", {view.Call("subtract", {scores, largest})});
  const ExprPtr rest = view.Call("multiply", {scores, view.Call("exp", {view.Call("negative", {largest})})});
  const ExprPtr parts = view.Call("where", {is_score, power, rest});
  return view.Call("divide", {parts, view.Call("sum", {parts}, row)});
}

// sqrt(2) times the inverse erf of 2 s - 1.
ExprPtr Probit(const OnnxNodeView& view, const ExprPtr& scores) {
  constexpr double kPi = 3.14159, kA = 0.147;
  const auto number = [&](double value) { return ScalarLike(view, scores, value); };
  const auto times = [&](const ExprPtr& x, double factor) { return view.Call("multiply", {x, number(factor)}); };
  const ExprPtr x = view.Call("subtract", {times(scores, 2), number(1)});
  const ExprPtr product =
      view.Call("multiply", {view.Call("subtract", {number(1), x}), view.Call("add", {number(1), x})});
  const ExprPtr log = view.Call("log", {product});
  const ExprPtr v = view.Call("add", {times(log, 0.5), number(2 / (kPi * kA))});
  const ExprPtr root = view.Call("sqrt", {view.Call("subtract", {view.Call("multiply", {v, v}), times(log, 1 / kA)})});
  const ExprPtr size = view.Call("sqrt", {view.Call("subtract", {root, v})});
  const ExprPtr is_negative = view.Call("less", {x, number(0)});
  return times(view.Call("where", {is_negative, view.Call("negative", {size}), size}), 1.41421356);
}

}  // namespace

ExprPtr FeatureMatrix(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  if (shape.empty() || shape.size() > 2 || ElementCount(shape) == 0) {
    RefuseNode(fmt::format("X is {}; it must be a matrix", ShapeText(shape)));
  }
  return view.Reshape(AsDType(view, view.Input(0), DType::kFloat32), {shape.size() == 2 ? shape[0] : 1, shape.back()});
}

std::vector<float> FloatsOf(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* list = view.Find(name);
  if (list == nullptr) list = view.Find(fmt::format("{}_as_tensor", name));
  if (list == nullptr) return {};
  if (list->kind == Kind::kFloats) return {list->floats.begin(), list->floats.end()};
  if (list->kind != Kind::kTensor) RefuseNode(fmt::format("the attribute {} is of the wrong kind", name));
  std::vector<float> values;
  values.reserve(static_cast<size_t>(list->tensor.elements()));
  for (int64_t i = 0; i < list->tensor.elements(); ++i) values.push_back(static_cast<float>(list->tensor.At(i)));
  return values;
}

std::vector<int64_t> IntsOf(const OnnxNodeView& view, std::string_view name) {
  const OnnxAttribute* list = view.Find(name);
  if (list == nullptr || list->kind != Kind::kTensor) return view.Ints(name, {});
  if (IsFloat(list->tensor.dtype())) RefuseNode(fmt::format("the attribute {} must hold integers", name));
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(list->tensor.elements()));
  for (int64_t i = 0; i < list->tensor.elements(); ++i) values.push_back(static_cast<int64_t>(list->tensor.At(i)));
  return values;
}

void RequireCount(std::string_view name, size_t given, size_t wanted, std::string_view of) {
  if (given != wanted) RefuseNode(fmt::format("{} holds {} numbers for {} {}", name, given, wanted, of));
}

ExprPtr PostTransform(const OnnxNodeView& view, const ExprPtr& scores, std::string_view name) {
  if (name == "NONE") return scores;
  if (name == "LOGISTIC") return view.Call("sigmoid", {scores});
  if (name == "SOFTMAX") return view.Call("nn.softmax", {scores});
  if (name == "SOFTMAX_ZERO") return SoftmaxZero(view, scores);
  if (name == "PROBIT") return Probit(view, scores);
  RefuseNode(fmt::format("post_transform is \"{}\"; it may be NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT", name));
}

OnnxOperatorTable ClassicalOperators() {
  return {
      {"Scaler", 1, 1, Scaler, {"offset", "scale"}, {.becomes = "multiply subtract", .takes_counts = true}, kClassical},
      {"Normalizer",
       1,
       1,
       Normalizer,
       {"norm"},
       {.becomes = "abs divide equal max multiply sqrt sum where", .takes_counts = true},
       kClassical},
      {"Binarizer", 1, 1, Binarizer, {"threshold"}, {.becomes = "cast greater", .takes_counts = true}, kClassical},
      {"ArrayFeatureExtractor", 2, 2, ArrayFeatureExtractor, {}, {.becomes = "take", .takes_counts = true}, kClassical},
      {"LinearRegressor",
       1,
       1,
       LinearRegressor,
       {"coefficients", "intercepts", "post_transform", "targets"},
       {.becomes = "nn.bias_add nn.dense", .takes_counts = true},
       kClassical},
      {"LinearClassifier",
       1,
       1,
       LinearClassifier,
       {"classlabels_ints", "classlabels_strings", "coefficients", "intercepts", "multi_class", "post_transform"},
       {.becomes = "argmax nn.bias_add nn.dense take", .takes_counts = true},
       kClassical}};
}

}  // namespace hone
