// Normalizations, LRN, Dropout.
#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx_operators.h"

namespace hone {
namespace {

using relay::ExprPtr;

std::vector<ExprPtr> BatchNormalization(const OnnxNodeView& view) {
  if (view.Int("training_mode", 0) != 0) RefuseNode("training_mode is set; only inference is supported");
  if (view.Int("spatial", 1) == 0) RefuseNode("spatial=0 is not supported");
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

ExprPtr Scalar(float value) { return relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {}, {value})); }

// Of the data over `axes`, which stay as 1.
struct Moments {
  ExprPtr mean;
  ExprPtr inverse_deviation;  // 1 / sqrt(variance + epsilon)
  ExprPtr standardised;       // (x - mean) * inverse_deviation
};

// The variance is the mean of squared differences, which rounds less than the mean of squares does.
Moments MomentsOf(const OnnxNodeView& view, const std::vector<int64_t>& axes) {
  const relay::Attrs over{{"axis", axes}, {"keepdims", true}};
  Moments m;
  m.mean = view.Call("mean", {view.Input(0)}, over);
  const ExprPtr centred = view.Call("subtract", {view.Input(0), m.mean});
  const ExprPtr variance = view.Call("mean", {view.Call("multiply", {centred, centred})}, over);
  const ExprPtr sum = view.Call("add", {variance, Scalar(static_cast<float>(view.Float("epsilon", 1e-5)))});
  m.inverse_deviation = view.Call("power", {sum, Scalar(-0.5F)});
  m.standardised = view.Call("multiply", {centred, m.inverse_deviation});
  return m;
}

std::vector<ExprPtr> LayerNormalization(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0), axis = OnnxNodeView::Axis(view.Int("axis", -1), rank);
  const Moments m = MomentsOf(view, AxesFrom(axis, rank));
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
  const ExprPtr y = MomentsOf(view, AxesFrom(2, rank)).standardised;
  return {view.Call("add", {view.Call("multiply", {y, per_channel(1)}), per_channel(2)})};
}

// Inference: what goes in comes out.
std::vector<ExprPtr> Dropout(const OnnxNodeView& view) {
  const Tensor* training = view.HasInput(2) ? view.InputValue(2) : nullptr;
  if (view.HasInput(2) && (training == nullptr || training->elements() != 1 || training->At(0) != 0)) {
    RefuseNode("training_mode is set; only inference is supported");
  }
  return {view.Input(0)};
}

}  // namespace

OnnxOperatorTable NormalizationOperators() {
  return {
      {"BatchNormalization", 5, 5, BatchNormalization, {"epsilon", "momentum", "spatial", "training_mode", "is_test"}},
      {"LayerNormalization", 2, 3, LayerNormalization, {"axis", "epsilon", "stash_type"}},
      {"InstanceNormalization", 3, 3, InstanceNormalization, {"epsilon"}},
      {"LRN", 1, 1, Lrn, {"alpha", "beta", "bias", "size"}},
      {"Dropout", 1, 3, Dropout, {"ratio", "seed", "is_test"}},
  };
}

}  // namespace hone
