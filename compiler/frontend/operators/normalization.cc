// BatchNormalization, LRN, Dropout.
#include <fmt/format.h>

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
      {"LRN", 1, 1, Lrn, {"alpha", "beta", "bias", "size"}},
      {"Dropout", 1, 3, Dropout, {"ratio", "seed", "is_test"}},
  };
}

}  // namespace hone
