#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/mark_calls.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

// A network of a few layers: roundings by 1/256 of each value add up to less than this.
constexpr double kRounding = 2e-2;

// All anchors after fusion, "data weight output: epilogue" each.
std::vector<std::string> Anchors(const IRModule& module) {
  std::vector<std::string> texts;
  for (const ExprPtr& expr : PostOrder(Fuse(module).main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const Anchor* anchor = call ? AnchorOf(*relay::AsFunction(call->op)) : nullptr;
    if (anchor == nullptr) continue;
    const ElementTypes& t = anchor->workload.types;
    texts.push_back(fmt::format("{} {} {}: {}", DTypeName(t.data), DTypeName(t.weight), DTypeName(t.output),
                                anchor->epilogue.ToText()));
  }
  return texts;
}

ExprPtr ReluConv(const ExprPtr& data, int64_t in, int64_t out, int64_t kernel, uint64_t seed) {
  return MakeCall("nn.relu", {Conv(data, in, out, kernel, seed)});
}

ExprPtr MaxPool(const ExprPtr& data) {
  return MakeCall("nn.max_pool2d", {data},
                  {{"pool_size", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
}

TEST(StoreBFloat16, LayersPassItOnAndInputsAndResultsStayAsTheyAre) {
  const ExprPtr first = ReluConv(Input("x", {1, 3, 8, 8}), 3, 16, 3, 1);
  const IRModule module = ModuleOf(Conv(ReluConv(first, 16, 16, 3, 2), 16, 8, 1, 3));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 bfloat16 bfloat16: relu",
                                           "bfloat16 bfloat16 float32: none"));
  const IRModule fused = Fuse(stored);
  EXPECT_EQ(FunctionCalls(fused).size(), 3U);
}

// The sums of kernels of bytes become floats or bytes.
TEST(StoreBFloat16, ProductsOfBytesDoNotStoreIt) {
  const auto to = [](const ExprPtr& x, const char* dtype) {
    return MakeCall("cast", {x}, {{"dtype", std::string(dtype)}});
  };
  const auto bytes = [&](const char* name) { return to(MakeCall("nn.relu", {Input(name, {2, 5, 8})}), "uint8"); };
  const ExprPtr zeros = relay::MakeConstant(Tensor::FromVector<int32_t>(DType::kInt32, {2}, {0, 0}));
  const ExprPtr sums = MakeCall("nn.batch_matmul", {bytes("a"), bytes("b"), zeros},
                                {{"out_dtype", std::string("int32")}, {"integral", true}});
  const ExprPtr narrow = to(to(sums, "float32"), "bfloat16");
  EXPECT_THAT(Anchors(ModuleOf(MakeCall("nn.relu", {to(narrow, "float32")}))),
              ElementsAre("uint8 uint8 float32: none"));
}

TEST(StoreBFloat16, AResidualIsStoredAndItsSumIsNotRoundedTwice) {
  const ExprPtr trunk = ReluConv(Input("x", {1, 8, 6, 6}), 8, 16, 1, 1);
  const ExprPtr beside = Conv(trunk, 16, 16, 1, 2);
  const ExprPtr branch = Conv(ReluConv(trunk, 16, 16, 3, 3), 16, 16, 1, 4);
  const ExprPtr sum = MakeCall("nn.relu", {MakeCall("add", {branch, beside})});
  const IRModule module = ModuleOf(Conv(sum, 16, 4, 1, 5));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 bfloat16 bfloat16: relu",
                                           "bfloat16 bfloat16 bfloat16: none", "bfloat16 bfloat16 bfloat16: add,relu",
                                           "bfloat16 bfloat16 float32: none"));
  const IRModule fused = Fuse(stored);
  EXPECT_EQ(FunctionCalls(fused).size(), 5U);
}

TEST(StoreBFloat16, ATrunkThatIsScaledBeforeEachLayerIsStoredOnce) {
  const auto scaled = [](const ExprPtr& x, int64_t channels, uint64_t seed) {
    return MakeCall("nn.relu", {MakeCall("multiply", {x, RandomConstant({channels, 1, 1}, seed)})});
  };
  const ExprPtr trunk = ReluConv(Input("x", {1, 8, 6, 6}), 8, 16, 1, 1);
  const ExprPtr sum = MakeCall("add", {trunk, Conv(scaled(trunk, 16, 2), 16, 16, 3, 3)});
  const ExprPtr last = MakeCall("add", {sum, Conv(scaled(sum, 16, 4), 16, 16, 3, 5)});
  const IRModule module = ModuleOf(Conv(scaled(last, 16, 6), 16, 4, 1, 7));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 bfloat16 bfloat16: add",
                                           "bfloat16 bfloat16 bfloat16: add", "bfloat16 bfloat16 float32: none"));
}

TEST(StoreBFloat16, PoolsMovesAndConcatenationsKeepIt) {
  const ExprPtr pooled = MaxPool(ReluConv(Input("x", {1, 8, 8, 8}), 8, 16, 1, 1));
  const ExprPtr joined =
      MakeCall("concatenate", {relay::MakeTuple({ReluConv(pooled, 16, 16, 1, 2), ReluConv(pooled, 16, 16, 3, 3)})},
               {{"axis", int64_t{1}}});
  const IRModule module = ModuleOf(Conv(joined, 32, 4, 1, 4));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  // Four layers, the pool and the join of two are one kernel each.
  const IRModule fused = Fuse(stored);
  const std::vector<const relay::Call*> calls = FunctionCalls(fused);
  ASSERT_EQ(calls.size(), 6U);
  for (size_t i = 0; i + 1 < calls.size(); ++i) EXPECT_EQ(calls[i]->type->dtype, DType::kBFloat16) << i;
  EXPECT_EQ(calls.back()->type->dtype, DType::kFloat32);
}

TEST(StoreBFloat16, DepthwiseWeightsAndThoseWithoutPairsAreFloat32) {
  const auto grouped = [](const ExprPtr& data, int64_t channels, int64_t groups, uint64_t seed) {
    return MakeCall("nn.conv2d", {data, RandomConstant({channels, channels / groups, 3, 3}, seed)},
                    {{"padding", std::vector<int64_t>{1, 1, 1, 1}}, {"groups", groups}, {"channels", channels}});
  };
  const ExprPtr first = ReluConv(Input("x", {1, 4, 6, 6}), 4, 12, 1, 1);
  const IRModule module = ModuleOf(Conv(grouped(grouped(grouped(first, 12, 12, 2), 12, 4, 3), 12, 2, 4), 12, 4, 1, 5));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 float32 bfloat16: none",
                                           "bfloat16 float32 bfloat16: none", "bfloat16 bfloat16 bfloat16: none",
                                           "bfloat16 bfloat16 float32: none"));
}

TEST(StoreBFloat16, WhatWinogradMayComputeKeepsItsWeights) {
  const ExprPtr first = ReluConv(Input("x", {1, 4, 6, 6}), 4, 8, 1, 1);
  const IRModule module = ModuleOf(Conv(ReluConv(first, 8, 8, 3, 2), 8, 4, 1, 3));
  const IRModule stored = StoreBFloat16(module, {.winograd = true});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 float32 bfloat16: relu",
                                           "bfloat16 bfloat16 float32: none"));
}

// Rows of x as two heads: (2, 6, 8).
ExprPtr Heads(const ExprPtr& x) {
  const ExprPtr apart = MakeCall("reshape", {x}, {{"newshape", std::vector<int64_t>{6, 2, 8}}});
  return MakeCall("transpose", {apart}, {{"axes", std::vector<int64_t>{1, 0, 2}}});
}

TEST(StoreBFloat16, AttentionReadsAndWritesIt) {
  const ExprPtr x = Input("x", {6, 16});
  const auto heads = [&](uint64_t seed) { return Heads(MakeCall("nn.dense", {x, RandomConstant({16, 16}, seed)})); };
  const ExprPtr scores = MakeCall("nn.batch_matmul", {heads(1), heads(2)});
  const ExprPtr weights = MakeCall("nn.softmax", {scores});
  const ExprPtr sums = MakeCall("nn.batch_matmul", {weights, heads(3)}, {{"transpose_b", false}});
  const ExprPtr back = MakeCall("transpose", {sums}, {{"axes", std::vector<int64_t>{1, 0, 2}}});
  const ExprPtr joined = MakeCall("reshape", {back}, {{"newshape", std::vector<int64_t>{6, 16}}});
  const IRModule module = ModuleOf(MakeCall("nn.dense", {joined, RandomConstant({4, 16}, 4)}));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: none", "float32 float32 bfloat16: none",
                                           "bfloat16 bfloat16 float32: none", "float32 float32 bfloat16: none",
                                           "bfloat16 bfloat16 bfloat16: none", "bfloat16 bfloat16 float32: none"));
  // Transposes of heads are fused into the products; reshapes are views.
  EXPECT_THAT(FunctionNames(Fuse(stored)),
              ElementsAre("nn.dense+cast", "reshape", "nn.dense+cast", "reshape", "transpose+transpose+nn.batch_matmul",
                          "nn.softmax", "cast", "nn.dense+cast", "reshape", "transpose+nn.batch_matmul+cast+transpose",
                          "reshape", "nn.dense"));
}

TEST(StoreBFloat16, ProductsWithoutPairsStayInFloat32) {
  const ExprPtr x = Input("x", {6, 16});
  const auto matrix = [&](uint64_t seed) {
    return MakeCall("reshape", {MakeCall("nn.dense", {x, RandomConstant({15, 16}, seed)})},
                    {{"newshape", std::vector<int64_t>{2, 3, 15}}});
  };
  const IRModule module = ModuleOf(MakeCall("nn.batch_matmul", {matrix(1), matrix(2)}));
  EXPECT_THAT(
      Anchors(StoreBFloat16(module, {})),
      ElementsAre("float32 float32 float32: none", "float32 float32 float32: none", "float32 float32 float32: none"));
}

TEST(StoreBFloat16, RoundsInputsIfTheFirstLayersAreChosen) {
  const ExprPtr x = Input("x", {1, 3, 6, 6});
  const IRModule module = ModuleOf(MakeCall("add", {Conv(x, 3, 8, 3, 1), Conv(x, 3, 8, 1, 2)}));
  const IRModule stored = StoreBFloat16(module, {.round_inputs = true});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_EQ(CountOf(stored, "cast"), 1);
  EXPECT_THAT(Anchors(stored), ElementsAre("bfloat16 bfloat16 float32: none", "bfloat16 bfloat16 float32: add"));
}

TEST(StoreBFloat16, DenseLayersReadIt) {
  const ExprPtr row = MakeCall("nn.batch_flatten", {ReluConv(Input("x", {1, 4, 2, 2}), 4, 8, 1, 1)});
  const IRModule module = ModuleOf(MakeCall("nn.dense", {row, RandomConstant({10, 32}, 2)}, {{"units", int64_t{10}}}));
  const IRModule stored = StoreBFloat16(module, {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 bfloat16: relu", "bfloat16 bfloat16 float32: none"));
}

TEST(StoreBFloat16, LeavesWhatNoProductReads) {
  const ExprPtr x = Input("x", {1, 8, 6, 6});
  const IRModule pool = ModuleOf(MaxPool(MakeCall("nn.relu", {x})));
  EXPECT_EQ(StoreBFloat16(pool, {}).main, pool.main);
  // A result keeps the type that its user asked for, even where a layer reads it too.
  const ExprPtr first = ReluConv(x, 8, 16, 1, 1);
  const IRModule both = ModuleOf(relay::MakeTuple({first, Conv(first, 16, 4, 1, 2)}));
  EXPECT_EQ(StoreBFloat16(both, {}).main, both.main);
}

// The marked layer reads floats, so the layer before it stores floats. The marked layer's own result may be stored as
// bfloat16.
TEST(StoreBFloat16, LeavesTheLayersThatKeepFloat32) {
  const auto named = [](const ExprPtr& conv, const char* name) {
    const relay::Call& call = *relay::AsCall(conv);
    return MakeCall("nn.conv2d", call.args, call.attrs, name);
  };
  const ExprPtr first = MakeCall("nn.relu", {named(Conv(Input("x", {1, 3, 8, 8}), 3, 16, 1, 1), "a")});
  const ExprPtr second = MakeCall("nn.relu", {named(Conv(first, 16, 16, 1, 2), "b")});
  const IRModule module = ModuleOf(named(Conv(second, 16, 8, 1, 3), "c"));
  EXPECT_EQ(KeepFloat32(module, {"d"}).main, module.main);
  const IRModule stored = StoreBFloat16(KeepFloat32(module, {"b"}), {});
  ExpectSameMeaning(module, stored, kRounding);
  EXPECT_THAT(Anchors(stored), ElementsAre("float32 float32 float32: relu", "float32 float32 bfloat16: relu",
                                           "bfloat16 bfloat16 float32: none"));
  EXPECT_EQ(Anchors(StoreBFloat16(KeepFloat32(module, {"b", "c"}), {})), Anchors(module));
}

TEST(StoreBFloat16, WhatHasNoNameIsKeptByTheEmptyOne) {
  const ExprPtr first = MakeCall("nn.relu", {Conv(Input("x", {1, 3, 8, 8}), 3, 16, 1, 1)});
  const IRModule module = ModuleOf(Conv(first, 16, 8, 1, 2));
  EXPECT_NE(Anchors(StoreBFloat16(KeepFloat32(module, {"a"}), {})), Anchors(module));
  EXPECT_EQ(Anchors(StoreBFloat16(KeepFloat32(module, {"a", ""}), {})), Anchors(module));
}

}  // namespace
}  // namespace hone::testing
