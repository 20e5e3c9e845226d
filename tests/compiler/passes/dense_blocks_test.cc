#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/passes.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

constexpr int64_t kUnits = 6, kColumns = 40;

Tensor RandomWords() {
  Tensor words(DType::kInt32, {kUnits, kColumns / 8});
  for (int64_t i = 0; i < words.elements(); ++i) {
    words.data<uint32_t>()[i] = static_cast<uint32_t>(i + 1) * 0x9e3779b1U;
  }
  return words;
}

// kUnits x kColumns weights of 4 bits.
ExprPtr BlockWeights() {
  return MakeCall("unpack_blocks",
                  {relay::MakeConstant(RandomWords()), relay::MakeConstant(RandomTensor({kUnits, 2}, 2))},
                  {{"bits", int64_t{4}}, {"block", int64_t{32}}, {"columns", kColumns}});
}

ExprPtr Turned(const ExprPtr& matrix) {
  return MakeCall("transpose", {matrix}, {{"axes", std::vector<int64_t>{1, 0}}});
}

bool Has(const IRModule& module, const char* op) {
  bool has = false;
  for (const ExprPtr& expr : PostOrder(module.main->body)) has = has || relay::AsCallTo(expr, op) != nullptr;
  return has;
}

TEST(DenseOfBlocks, TakesThePackedConstants) {
  for (const ExprPtr& weights : {BlockWeights(), Turned(Turned(BlockWeights()))}) {
    const IRModule module = ModuleOf(MakeCall("nn.dense", {Input("x", {3, kColumns}), weights}));
    const IRModule packed = DenseOfBlocks(module);
    EXPECT_TRUE(Has(packed, "nn.dense_blocks"));
    EXPECT_FALSE(Has(packed, "unpack_blocks"));
    ExpectSameMeaning(module, packed, 1e-6);
  }
}

TEST(DenseOfBlocks, LeavesWhatIsTurnedOrComputed) {
  const ExprPtr turned = MakeCall("nn.dense", {Input("x", {3, kUnits}), Turned(BlockWeights())});
  const ExprPtr computed = MakeCall("nn.dense", {Input("x", {3, kColumns}), MakeCall("nn.relu", {BlockWeights()})});
  for (const ExprPtr& body : {turned, computed}) {
    const IRModule module = ModuleOf(body);
    EXPECT_EQ(DenseOfBlocks(module).main, module.main);
  }
}

// No kernel of packed weights stores bfloat16, so the cast is a kernel of its own.
TEST(DenseOfBlocks, LeavesANarrowingToAnotherKernel) {
  const ExprPtr dense = MakeCall("nn.dense", {Input("x", {3, kColumns}), BlockWeights()});
  const IRModule module = ModuleOf(MakeCall("cast", {dense}, {{"dtype", std::string("bfloat16")}}));
  const IRModule fused = Fuse(DenseOfBlocks(module));
  EXPECT_THAT(FunctionCalls(fused), ::testing::SizeIs(2));
}

}  // namespace
}  // namespace hone::testing
