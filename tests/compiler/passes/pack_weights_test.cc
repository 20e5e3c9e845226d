#include "compiler/passes/pack_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/passes/graph/typed_graph.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using ::testing::IsEmpty;

constexpr int64_t kPackedRows = 128, kPackedColumns = 520;  // the last block of 32 has 8 columns

ExprPtr DenseOf(const ExprPtr& data, const Tensor& weights) {
  return relay::MakeCall("nn.dense", {data, relay::MakeConstant(weights)}, {}, "fc");
}

const relay::Call* BlocksOf(const IRModule& module) {
  const relay::Call* found = nullptr;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    if (const relay::Call* call = relay::AsCallTo(expr, "nn.dense_blocks")) found = call;
  }
  return found;
}

// No weight moves by more than half a step, and the largest of a block stays.
TEST(PackWeights, RoundsToTheNearestMultipleOfABlocksScale) {
  const Tensor weights = RandomTensor({kPackedRows, kPackedColumns}, 3);
  for (const BlockFormat& format : {BlockFormat{4, 32}, BlockFormat{8, 64}}) {
    const IRModule packed = PackWeights(ModuleOf(DenseOf(Input("x", {5, kPackedColumns}), weights)), format);
    const relay::Call* dense = BlocksOf(packed);
    ASSERT_NE(dense, nullptr);
    const Tensor &words = relay::AsConstant(dense->args[1])->value, &scales = relay::AsConstant(dense->args[2])->value;
    for (int64_t i = 0; i < weights.elements(); ++i) {
      const int64_t row = i / kPackedColumns, column = i % kPackedColumns;
      const float scale = scales.data<float>()[row * format.Blocks(kPackedColumns) + column / format.block];
      const int32_t integer = format.IntegerAt(words.data<int32_t>() + row * format.Words(kPackedColumns), column);
      const float weight = weights.data<float>()[i], most = static_cast<float>((1 << (format.bits - 1)) - 1);
      const float allowed = weight / scale > most + 0.5F ? 1.01F : 0.501F;
      ASSERT_LE(std::fabs(weight - scale * static_cast<float>(integer)), allowed * std::fabs(scale)) << format.ToText();
    }
  }
}

TEST(PackWeights, LeavesSmallLayersAndThoseThatAreNotFinite) {
  Tensor weights = RandomTensor({kPackedRows, kPackedColumns}, 3);
  weights.Set(7, NAN);
  const IRModule module = ModuleOf(DenseOf(Input("x", {1, kPackedColumns}), weights));
  EXPECT_EQ(PackWeights(module, {4, 32}).main, module.main);
  ASSERT_EQ(WeightsNotPacked(module).size(), 1U);
  EXPECT_EQ(WeightsNotPacked(module)[0].node, "fc");
  const IRModule small = ModuleOf(DenseOf(Input("x", {1, 512}), RandomTensor({127, 512}, 1)));
  EXPECT_EQ(PackWeights(small, {4, 32}).main, small.main);
  EXPECT_THAT(WeightsNotPacked(small), IsEmpty());
}

TEST(PackWeights, OfLayersThatShareThemStayShared) {
  const ExprPtr weights = relay::MakeConstant(RandomTensor({kPackedColumns, kPackedColumns}, 1));
  const auto dense = [&](const ExprPtr& data) { return relay::MakeCall("nn.dense", {data, weights}); };
  const IRModule packed = PackWeights(ModuleOf(dense(dense(Input("x", {1, kPackedColumns})))), {8, 32});
  const relay::Call* second = BlocksOf(packed);
  const relay::Call* first = relay::AsCallTo(second->args[0], "nn.dense_blocks");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->args[1], second->args[1]);
}

TEST(QuantiseRows, MarksLayersOfBlocksAlone) {
  const IRModule module =
      ModuleOf(DenseOf(Input("x", {1, kPackedColumns}), RandomTensor({kPackedRows, kPackedColumns}, 3)));
  EXPECT_EQ(QuantiseRows(module).main, module.main);
  const IRModule marked = QuantiseRows(PackWeights(module, {4, 32}));
  EXPECT_EQ(BlocksOf(marked)->attrs.GetString("activations"), "int8");
  EXPECT_EQ(QuantiseRows(marked).main, marked.main);
  ExpectSameMeaning(PackWeights(module, {4, 32}), marked, 0.02);
}

}  // namespace
}  // namespace hone::testing
