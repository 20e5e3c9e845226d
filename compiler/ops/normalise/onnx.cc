// Normalizations, LRN, Dropout.
#include "compiler/ops/random/onnx.h"

#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Normalises by the batch's own moments, and mixes the running ones with them.
std::vector<ExprPtr> LearningBatchNormalization(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() < 2) RefuseNode(fmt::format("its data is {}, it must be N x C x ...", ShapeText(shape)));
  std::vector<int64_t> axes{0};
  Shape channel(shape.size(), 1);
  channel[1] = shape[1];
  for (int64_t d = 2; d < view.InputRank(0); ++d) axes.push_back(d);
  const relay::Attrs over{{"axis", axes}, {"keepdims", true}};
  const ExprPtr mean = view.Call("mean", {view.Input(0)}, over);
  const ExprPtr centred = view.Call("subtract", {view.Input(0), mean});
  const ExprPtr variance = view.Call("mean", {view.Call("multiply", {centred, centred})}, over);
  const ExprPtr inverse =
      WithScalar(view, "power", WithScalar(view, "add", variance, view.Float("epsilon", 1e-5)), -0.5);
  const auto per_channel = [&](int input) { return view.Reshape(view.Input(input), channel); };
  const double momentum = view.Float("momentum", 0.9);
  const auto running = [&](int input, const ExprPtr& now) {
    return view.Call("add", {WithScalar(view, "multiply", view.Input(input), momentum),
                             WithScalar(view, "multiply", view.Reshape(now, {shape[1]}), 1 - momentum)});
  };
  const ExprPtr scaled = view.Call("multiply", {view.Call("multiply", {centred, inverse}), per_channel(1)});
  return {view.Call("add", {scaled, per_channel(2)}), running(3, mean), running(4, variance)};
}

std::vector<ExprPtr> BatchNormalization(const OnnxNodeView& view) {
  if (view.Int("spatial", 1) == 0) RefuseNode("spatial=0 is not supported");
  if (view.Int("training_mode", 0) != 0) return LearningBatchNormalization(view);
  std::vector<ExprPtr> args;
  for (int i = 0; i < 5; ++i) args.push_back(view.Input(i));
  const ExprPtr all =
      view.Call("nn.batch_norm", args, {{"axis", int64_t{1}}, {"epsilon", view.Float("epsilon", 1e-5)}});
  return {view.builder().Item(all, 0)};
}

std::vector<ExprPtr> Lrn(const OnnxNodeView& view) {
  const int64_t size = view.Int("size", 0);
  if (size < 1) RefuseNode(fmt::format("size is {}, it must be 1 or more", size));
  return {view.Call("nn.lrn", {view.Input(0)},
                    {{"size", size},
                     {"axis", int64_t{1}},
                     {"bias", view.Float("bias", 1)},
                     {"alpha", view.Float("alpha", 1e-4)},
                     {"beta", view.Float("beta", 0.75)}})};
}

std::vector<int64_t> AxesFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Moments of the data over `axes`, which stay with extent 1.
struct Moments {
  ExprPtr mean;
  ExprPtr inverse_deviation;  // 1 / sqrt(variance + epsilon)
  ExprPtr standardised;       // (x - mean) * inverse_deviation
};

// Computes 1 / sqrt(mean of squares + epsilon).
ExprPtr InverseDeviation(const OnnxNodeView& view, const ExprPtr& centred, const std::vector<int64_t>& axes) {
  const relay::Attrs over{{"axis", axes}, {"keepdims", true}};
  const ExprPtr variance = view.Call("mean", {view.Call("multiply", {centred, centred})}, over);
  return WithScalar(view, "power", WithScalar(view, "add", variance, view.Float("epsilon", 1e-5)), -0.5);
}

// The variance is the mean of squared differences, which rounds less than the mean of squares.
Moments MomentsOf(const OnnxNodeView& view, const ExprPtr& data, const std::vector<int64_t>& axes) {
  Moments m;
  m.mean = view.Call("mean", {data}, {{"axis", axes}, {"keepdims", true}});
  const ExprPtr centred = view.Call("subtract", {data, m.mean});
  m.inverse_deviation = InverseDeviation(view, centred, axes);
  m.standardised = view.Call("multiply", {centred, m.inverse_deviation});
  return m;
}

std::vector<ExprPtr> LayerNormalization(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", -1), rank);
  const Moments m = MomentsOf(view, view.Input(0), AxesFrom(axis, rank));
  ExprPtr y = view.Call("multiply", {m.standardised, view.Input(1)});
  if (view.HasInput(2)) y = view.Call("add", {y, view.Input(2)});
  return {y, m.mean, m.inverse_deviation};
}

std::vector<ExprPtr> InstanceNormalization(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  if (rank < 3) RefuseNode(fmt::format("its data is {}; it needs a spatial dimension", ShapeText(view.InputShape(0))));
  Shape channel(static_cast<size_t>(rank - 1), 1);
  channel[0] = view.InputShape(0)[1];
  const auto per_channel = [&](int input) { return view.Reshape(view.Input(input), channel); };
  const ExprPtr y = MomentsOf(view, view.Input(0), AxesFrom(2, rank)).standardised;
  return {view.Call("add", {view.Call("multiply", {y, per_channel(1)}), per_channel(2)})};
}

// Before opset 21 the parameters have one value per group, since then one per channel.
std::vector<ExprPtr> GroupNormalization(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t groups = view.Int("num_groups", 0);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0) {
    RefuseNode(fmt::format("num_groups is {}; it must divide the channels of {}", groups, ShapeText(shape)));
  }
  const int64_t elements = shape[1] / groups * ElementCount(Shape(shape.begin() + 2, shape.end()));
  Shape split{shape[0], groups, elements};
  // Extents that are counted keep axes of their own.
  if (!view.builder().CountsOf(view.Input(0)).empty()) {
    split = {shape[0], groups, shape[1] / groups};
    split.insert(split.end(), shape.begin() + 2, shape.end());
  }
  const ExprPtr grouped = view.Reshape(view.Input(0), split);
  const ExprPtr y = MomentsOf(view, grouped, AxesFrom(2, static_cast<int64_t>(split.size()))).standardised;
  const auto scaled = [&](const ExprPtr& data, const Shape& parameter) {
    const ExprPtr product = view.Call("multiply", {data, view.Reshape(view.Input(1), parameter)});
    return view.Call("add", {product, view.Reshape(view.Input(2), parameter)});
  };
  if (view.opset() < 21) {
    Shape per_group(split.size() - 1, 1);
    per_group[0] = groups;
    return {view.Reshape(scaled(y, per_group), shape)};
  }
  Shape channel(shape.size() - 1, 1);
  channel[0] = shape[1];
  return {scaled(view.Reshape(y, shape), channel)};
}

std::vector<ExprPtr> RmsNormalization(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", -1), rank);
  const ExprPtr inverse = InverseDeviation(view, view.Input(0), AxesFrom(axis, rank));
  return {view.Call("multiply", {view.Call("multiply", {view.Input(0), inverse}), view.Input(1)})};
}

std::vector<ExprPtr> MeanVarianceNormalization(const OnnxNodeView& view) {
  const auto axes = OnnxNodeView::Axes(view.Ints("axes", {0, 2, 3}), view.InputRank(0));
  const relay::Attrs over{{"axis", axes}, {"keepdims", true}};
  const ExprPtr centred = view.Call("subtract", {view.Input(0), view.Call("mean", {view.Input(0)}, over)});
  const ExprPtr variance = view.Call("mean", {view.Call("multiply", {centred, centred})}, over);
  return {view.Call("divide", {centred, WithScalar(view, "add", view.Call("sqrt", {variance}), 1e-9)})};
}

// A line of zeros stays one.
std::vector<ExprPtr> LpNormalization(const OnnxNodeView& view) {
  const ExprPtr& x = view.Input(0);
  const int64_t p = view.Int("p", 2);
  if (p != 1 && p != 2) RefuseNode(fmt::format("p is {}; 1 and 2 are supported", p));
  const std::vector<int64_t> axes = OnnxNodeView::Axes({view.Int("axis", -1)}, view.InputRank(0));
  const ExprPtr terms = p == 1 ? view.Call("abs", {x}) : view.Call("multiply", {x, x});
  const ExprPtr sum = view.Call("sum", {terms}, {{"axis", axes}, {"keepdims", true}});
  const ExprPtr norm = p == 1 ? sum : view.Call("sqrt", {sum});
  const ExprPtr divisor = view.Call("where", {WithScalar(view, "equal", norm, 0), ScalarLike(view, x, 1), norm});
  return {view.Call("divide", {x, divisor})};
}

// Whether an input is one known number that is 0.
bool IsKnownZero(const OnnxNodeView& view, int input) {
  const Tensor* value = view.InputValue(input);
  return value != nullptr && value->elements() == 1 && value->At(0) == 0;
}

// While a model learns, elements become 0 with the probability `ratio`, and the others grow by 1 / (1 - ratio).
std::vector<ExprPtr> Dropped(const OnnxNodeView& view) {
  const Tensor *training = view.InputValue(2), *ratio = view.HasInput(1) ? view.InputValue(1) : nullptr;
  if (training == nullptr || (view.HasInput(1) && ratio == nullptr)) {
    RefuseNode("training_mode and ratio must be known when the model is imported");
  }
  const double share = ratio == nullptr ? 0.5 : ratio->At(0);
  if (!(share >= 0 && share < 1)) RefuseNode(fmt::format("ratio is {}; it must be from 0 to below 1", share));
  const ExprPtr kept =
      view.Call("greater_equal",
                {UniformNumbers(view, view.InputShape(0), view.builder().CountsOf(view.Input(0))),
                 relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {}, {static_cast<float>(share)}))});
  const ExprPtr grown = WithScalar(view, "multiply", view.Input(0), 1 / (1 - share));
  return {view.Call("where", {kept, grown, ScalarLike(view, grown, 0)}), kept};
}

// In inference, or if nothing is dropped, the result is the input, and the mask keeps everything.
std::vector<ExprPtr> Dropout(const OnnxNodeView& view) {
  const bool drops = view.HasInput(2) && !IsKnownZero(view, 2) && !(view.HasInput(1) && IsKnownZero(view, 1));
  if (drops) return Dropped(view);
  if (view.node().outputs.size() < 2) return {view.Input(0)};
  const Shape& shape = view.InputShape(0);
  view.builder().Spend(ElementCount(shape));
  Tensor kept(DType::kBool, shape);
  for (int64_t i = 0; i < kept.elements(); ++i) kept.Set(i, 1);
  const ExprPtr mask = relay::MakeConstant(std::move(kept));
  view.builder().SetCounts(mask, view.builder().CountsOf(view.Input(0)));
  return {view.Input(0), mask};
}

}  // namespace

OnnxOperatorTable NormalizationOperators() {
  return {
      {"BatchNormalization",
       5,
       5,
       BatchNormalization,
       {"epsilon", "momentum", "spatial", "training_mode", "is_test"},
       {.becomes = "add mean multiply nn.batch_norm power reshape subtract", .takes_counts = true}},
      {"LayerNormalization",
       2,
       3,
       LayerNormalization,
       {"axis", "epsilon", "stash_type"},
       {.becomes = "add mean multiply power subtract", .takes_counts = true}},
      {"InstanceNormalization",
       3,
       3,
       InstanceNormalization,
       {"epsilon"},
       {.becomes = "add mean multiply power subtract", .takes_counts = true}},
      {"GroupNormalization",
       3,
       3,
       GroupNormalization,
       {"epsilon", "num_groups", "stash_type"},
       {.becomes = "add mean multiply power reshape subtract", .takes_counts = true}},
      {"RMSNormalization",
       2,
       2,
       RmsNormalization,
       {"axis", "epsilon", "stash_type"},
       {.becomes = "add mean multiply power", .takes_counts = true}},
      {"MeanVarianceNormalization",
       1,
       1,
       MeanVarianceNormalization,
       {"axes"},
       {.becomes = "add divide mean multiply sqrt subtract", .takes_counts = true}},
      {"LpNormalization",
       1,
       1,
       LpNormalization,
       {"axis", "p"},
       {.becomes = "abs divide equal multiply sqrt sum where", .takes_counts = true}},
      {"LRN", 1, 1, Lrn, {"alpha", "beta", "bias", "size"}, {.becomes = "nn.lrn", .takes_counts = true}},
      {"Dropout",
       1,
       3,
       Dropout,
       {"ratio", "seed", "is_test"},
       {.becomes = "greater_equal multiply random.uniform where", .takes_counts = true}},
  };
}

}  // namespace hone
