// Tokens: for a layer over an image's last axis, the matrix has another first axis than the neighbours' images.
#include <gtest/gtest.h>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::MakeCall;

ExprPtr Dense(const ExprPtr& tokens, int64_t inputs, int64_t outputs) {
  Tensor weight(DType::kFloat32, {outputs, inputs});
  FillTensor(weight, Fill::kNormal, static_cast<uint64_t>(outputs));
  return MakeCall("nn.dense", {tokens, relay::MakeConstant(weight)});
}

TEST(ReshapedViews, ComputeWhatTheModelSays) {
  for (const int64_t batch : {1, 2}) {
    const auto x = std::make_shared<relay::Var>("x", relay::TensorType({batch, 4, 6, 8}));
    const ExprPtr tokens = MakeCall("reshape", {x}, {{"newshape", Shape{batch * 24, 8}}});
    const ExprPtr wide = MakeCall("nn.relu", {Dense(tokens, 8, 20)});
    const ExprPtr image = MakeCall("reshape", {wide}, {{"newshape", Shape{batch, 4, 6, 20}}});
    const ExprPtr moved =
        MakeCall("transpose", {MakeCall("tanh", {image})}, {{"axes", std::vector<int64_t>{0, 3, 1, 2}}});
    const std::vector<std::shared_ptr<const relay::Var>> params{x};
    const auto main = std::make_shared<relay::Function>(params, MakeCall("add", {moved, moved}));
    const relay::IRModule module = relay::InferType({main, {}, "tokens", {}});
    Tensor input(DType::kFloat32, {batch, 4, 6, 8});
    FillTensor(input, Fill::kNormal, 3);
    const Tensor want = RunReference(module, {{"x", input}}).at(0);
    const BuildResult built = Build(module, HostBuild());
    const Tensor got = RunOnce(Package::FromBytes(built.package, "tokens"), 2, Fill::kNormal, 3).at(0);
    const float* values = want.data<float>();
    EXPECT_LE(WorstError(got, std::vector<float>(values, values + want.elements())), 1e-5) << "batch " << batch;
  }
}

// The reader sees one row where the concatenation has images of 17 channels.
TEST(ReshapedViews, AJoinedImageMayBeARowOfTheUsers) {
  const auto x = std::make_shared<relay::Var>("x", relay::TensorType({1, 16, 9, 9}));
  Tensor last(DType::kFloat32, {1, 1, 9, 9});
  FillTensor(last, Fill::kNormal, 4);
  const ExprPtr joined =
      MakeCall("concatenate", {relay::MakeTuple({x, relay::MakeConstant(last)})}, {{"axis", int64_t{1}}});
  const std::vector<std::shared_ptr<const relay::Var>> params{x};
  const auto main =
      std::make_shared<relay::Function>(params, MakeCall("reshape", {joined}, {{"newshape", Shape{17 * 81}}}));
  const relay::IRModule module = relay::InferType({main, {}, "row", {}});
  const BuildResult built = Build(module, HostBuild());
  const Tensor got = RunOnce(Package::FromBytes(built.package, "row"), 2, Fill::kNormal, 3).at(0);
  Tensor input(DType::kFloat32, {1, 16, 9, 9});
  FillTensor(input, Fill::kNormal, 3);
  EXPECT_EQ(Bits(got), Bits(RunReference(module, {{"x", input}}).at(0)));
}

// The buffer has eight images of one element, the softmax two of three elements.
TEST(ReshapedViews, AFrontOfTheInputMayHaveImagesOfItsOwn) {
  const auto x = std::make_shared<relay::Var>("x", relay::TensorType({8}));
  const ExprPtr front =
      MakeCall("strided_slice", {x}, {{"begin", Shape{0}}, {"end", Shape{6}}, {"axes", std::vector<int64_t>{0}}});
  const ExprPtr rows = MakeCall("reshape", {front}, {{"newshape", Shape{2, 3}}});
  const std::vector<std::shared_ptr<const relay::Var>> params{x};
  const auto main = std::make_shared<relay::Function>(params, MakeCall("nn.softmax", {rows}, {{"axis", int64_t{-1}}}));
  const relay::IRModule module = relay::InferType({main, {}, "front", {}});
  const BuildResult built = Build(module, HostBuild());
  const Tensor got = RunOnce(Package::FromBytes(built.package, "front"), 2, Fill::kNormal, 3).at(0);
  Tensor input(DType::kFloat32, {8});
  FillTensor(input, Fill::kNormal, 3);
  const Tensor want = RunReference(module, {{"x", input}}).at(0);
  const float* values = want.data<float>();
  EXPECT_LE(WorstError(got, std::vector<float>(values, values + want.elements())), 1e-6);
}

}  // namespace
}  // namespace hone
