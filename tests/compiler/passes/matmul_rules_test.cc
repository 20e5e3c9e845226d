// Products of computed matrices, and the reshapes and transposes around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

IRModule Canonical(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(Canonicalise(module, 3));
  ExpectSameMeaning(module, after);
  return after;
}

ExprPtr Reshape(const ExprPtr& x, Ints shape) { return MakeCall("reshape", {x}, {{"newshape", std::move(shape)}}); }
ExprPtr Transpose(const ExprPtr& x, Ints axes) { return MakeCall("transpose", {x}, {{"axes", std::move(axes)}}); }
ExprPtr Product(const ExprPtr& a, const ExprPtr& b, bool transpose_b = false) {
  return MakeCall("nn.batch_matmul", {a, b}, {{"transpose_b", transpose_b}});
}

// Rows (tokens, 4 x 6) as 4 heads of tokens x 6, or of 6 x tokens.
ExprPtr Heads(const std::string& name, int64_t batch, int64_t tokens, Ints axes) {
  return Transpose(Reshape(Input(name, {batch * tokens, 24}), {batch, tokens, 4, 6}), std::move(axes));
}

// The layouts of each product after fusion.
std::vector<std::string> Layouts(const IRModule& module) {
  const IRModule fused = Fuse(module);
  ExpectSameMeaning(module, fused);
  std::vector<std::string> layouts;
  for (const relay::Call* call : FunctionCalls(fused)) {
    const auto anchor = AnchorOf(*relay::AsFunction(call->op));
    if (!anchor) continue;
    EXPECT_EQ(Workload::Parse(anchor->workload.ToText()), anchor->workload);
    layouts.push_back(anchor->workload.layouts);
  }
  return layouts;
}

// The form that exporters write: queries times transposed keys, and the weighted values back in rows.
ExprPtr Attention(int64_t batch, int64_t tokens) {
  const ExprPtr queries = Reshape(Heads("q", batch, tokens, {0, 2, 1, 3}), {batch * 4, tokens, 6});
  const ExprPtr keys = Reshape(Heads("k", batch, tokens, {0, 2, 3, 1}), {batch * 4, 6, tokens});
  const ExprPtr values = Reshape(Heads("v", batch, tokens, {0, 2, 1, 3}), {batch * 4, tokens, 6});
  const ExprPtr scores = MakeCall("nn.softmax", {Product(queries, keys)}, {{"axis", int64_t{-1}}});
  const ExprPtr heads = Reshape(Product(scores, values), {batch, 4, tokens, 6});
  return Reshape(Transpose(heads, {0, 2, 1, 3}), {batch * tokens, 24});
}

TEST(MatmulRules, HeadsOfOneImageAreReadAndWrittenWhereTheyLie) {
  const IRModule module = Canonical(Attention(1, 5));
  EXPECT_THAT(Layouts(module), ElementsAre("MBK,NBK,BMN", "BMK,KBN,MBN"));
  EXPECT_THAT(FunctionNames(Fuse(module)),
              ElementsAre("reshape", "reshape", "transpose+transpose+nn.batch_matmul", "nn.softmax", "reshape",
                          "transpose+nn.batch_matmul+transpose", "reshape"));
}

TEST(MatmulRules, OfSeveralImagesOnlyRowsAndColumnsAreSwapped) {
  const IRModule module = Canonical(Attention(2, 5));
  EXPECT_THAT(Layouts(module), ElementsAre("BMK,BNK,BMN", "BMK,BKN,BMN"));
}

TEST(MatmulRules, TheLastAxisStaysLast) {
  const ExprPtr a = Input("a", {3, 5, 7}), b = Input("b", {3, 4, 7});
  const IRModule module = Canonical(Product(a, Transpose(b, {0, 2, 1})));
  EXPECT_THAT(OpNames(module), ElementsAre("nn.batch_matmul"));
  EXPECT_THAT(Layouts(module), ElementsAre("BMK,BNK,BMN"));
  // M is 7 and K is 5.
  const IRModule left = Canonical(Product(Transpose(a, {0, 2, 1}), Transpose(Input("c", {3, 5, 4}), {0, 2, 1}), true));
  EXPECT_THAT(OpNames(left), ElementsAre("nn.batch_matmul"));
}

TEST(MatmulRules, AnOperandWhoseLastAxisIsTheBatchIsTransposedFirst) {
  const ExprPtr a = Input("a", {5, 7, 3}), b = Input("b", {3, 4, 7});
  EXPECT_THAT(FunctionNames(Fuse(Canonical(Product(Transpose(a, {2, 0, 1}), b, true)))),
              ElementsAre("transpose", "nn.batch_matmul"));
}

TEST(MatmulRules, ATransposeThatOthersReadStays) {
  const ExprPtr turned = Transpose(Input("a", {5, 3, 7}), {1, 0, 2});
  const ExprPtr product = Product(turned, Input("b", {3, 7, 7}));
  const IRModule module = Canonical(MakeCall("add", {product, turned}));
  EXPECT_THAT(Layouts(module), ElementsAre("BMK,BKN,BMN"));
}

// Only the right operand has a transpose; the function's parameters are still in the product's order.
TEST(MatmulRules, OperandsKeepTheirOrder) {
  const ExprPtr a = Input("a", {3, 5, 7}), b = Input("b", {7, 3, 4});
  const IRModule fused = Fuse(Canonical(Product(a, Transpose(b, {1, 0, 2}))));
  const relay::Call& call = *FunctionCalls(fused)[0];
  EXPECT_EQ(call.args[0]->type->shape, (Shape{3, 5, 7}));
  EXPECT_EQ(call.args[1]->type->shape, (Shape{7, 3, 4}));
}

TEST(MatmulRules, ADenseLayerWithComputedWeightsIsAProduct) {
  const ExprPtr x = Input("x", {5, 7}), w = MakeCall("exp", {Input("w", {7, 4})});
  const IRModule module = Canonical(MakeCall("nn.dense", {x, Transpose(w, {1, 0})}, {{"units", int64_t{4}}}));
  EXPECT_EQ(CountOf(module, "nn.dense"), 0);
  EXPECT_THAT(Layouts(module), ElementsAre("BMK,BKN,BMN"));
  const IRModule constant = Canonical(MakeCall("nn.dense", {x, RandomConstant({4, 7}, 3)}, {{"units", int64_t{4}}}));
  EXPECT_THAT(OpNames(constant), ElementsAre("nn.dense"));
}

TEST(MatmulRules, ASoftmaxScalesAndMasksItsInput) {
  const ExprPtr scores = Product(Input("a", {3, 5, 7}), Input("b", {3, 7, 6}));
  const ExprPtr scaled = MakeCall("divide", {scores, ScalarConstant(8)});
  const ExprPtr masked = MakeCall("add", {scaled, Input("mask", {1, 1, 6})});
  const IRModule module = Canonical(MakeCall("nn.softmax", {masked}, {{"axis", int64_t{-1}}}));
  EXPECT_THAT(FunctionNames(Fuse(module)), ElementsAre("nn.batch_matmul", "multiply+add+nn.softmax"));
  const ExprPtr costly = MakeCall("nn.softmax", {MakeCall("exp", {Input("x", {3, 5})})});
  EXPECT_THAT(FunctionNames(Fuse(Canonical(costly))), ElementsAre("exp", "nn.softmax"));
}

TEST(MatmulRules, TransposesOfTransposesAreOne) {
  const ExprPtr x = MakeCall("exp", {Input("x", {2, 3, 4})});
  EXPECT_THAT(OpNames(Canonical(Transpose(Transpose(x, {1, 2, 0}), {2, 0, 1}))), ElementsAre("exp"));
  EXPECT_THAT(OpNames(Canonical(Transpose(Transpose(x, {1, 2, 0}), {1, 2, 0}))), ElementsAre("exp", "transpose"));
}

TEST(MatmulRules, HeadsThatShareAMatrixAreRowsOfOneProduct) {
  const ExprPtr shared = Input("keys", {2, 3, 1, 5, 6});
  const ExprPtr repeated = MakeCall("broadcast_to", {shared}, {{"shape", Ints{2, 3, 4, 5, 6}}});
  const ExprPtr product = Product(Input("queries", {24, 2, 6}), Reshape(repeated, {24, 5, 6}), true);
  const IRModule module = Canonical(product);
  EXPECT_EQ(CountOf(module, "broadcast_to"), 0);
  EXPECT_EQ(Layouts(module).size(), 1U);
  // A broadcast along other axes than the last ones is materialised.
  const ExprPtr first = MakeCall("broadcast_to", {Input("keys", {1, 3, 5, 6})}, {{"shape", Ints{2, 3, 5, 6}}});
  EXPECT_EQ(CountOf(Canonical(Product(Input("queries", {6, 2, 6}), Reshape(first, {6, 5, 6}), true)), "broadcast_to"),
            1);
}

TEST(MatmulRules, AnInputIsNotPackedAsWeightsAre) {
  const IRModule module = Canonical(MakeCall("nn.dense", {Input("x", {2, 6}), Input("w", {5, 6})}));
  EXPECT_EQ(CountOf(module, "nn.dense"), 0);
  EXPECT_EQ(CountOf(module, "nn.batch_matmul"), 1);
}

// The call that scales; null where none remains.
const relay::Call* Scaling(const IRModule& module) {
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    if (const relay::Call* call = relay::AsCallTo(expr, "multiply")) return call;
  }
  return nullptr;
}

ExprPtr ScaledScores(int64_t tokens) {
  const ExprPtr queries = Reshape(Heads("q", 1, tokens, {0, 2, 1, 3}), {4, tokens, 6});
  const ExprPtr keys = Reshape(Heads("k", 1, tokens, {0, 2, 3, 1}), {4, 6, tokens});
  return MakeCall("multiply", {Reshape(Product(queries, keys), {1, 4, tokens, tokens}), ScalarConstant(0.3)});
}

TEST(MatmulRules, ANumberScalesAnOperandMuchSmallerThanTheProduct) {
  const IRModule after = Canonical(ScaledScores(200));
  const relay::Call* scaling = Scaling(after);
  ASSERT_NE(scaling, nullptr);
  // The scale comes before the movements, which the kernel absorbs.
  EXPECT_THAT(ShapeOf(scaling->args[0]), ElementsAre(200, 24));
  EXPECT_THAT(Layouts(after), ElementsAre("MBK,NBK,BMN"));
}

TEST(MatmulRules, ANumberMayHaveMoreAxesThanTheOperandThatItScales) {
  const ExprPtr scores = Reshape(Product(Input("q", {2, 200, 6}), Input("k", {2, 6, 200})), {1, 2, 1, 200, 200});
  const IRModule after = Canonical(MakeCall("multiply", {scores, RandomConstant({1, 1, 1, 1, 1}, 1)}));
  const relay::Call* scaling = Scaling(after);
  ASSERT_NE(scaling, nullptr);
  EXPECT_THAT(ShapeOf(scaling->args[0]), ElementsAre(2, 200, 6));
}

TEST(MatmulRules, ANumberScalesAProductAboutAsLargeAsItsOperands) {
  const IRModule after = Canonical(ScaledScores(40));
  const relay::Call* scaling = Scaling(after);
  ASSERT_NE(scaling, nullptr);
  EXPECT_EQ(ElementCount(ShapeOf(scaling->args[0])), 4 * 40 * 40);
}

TEST(MatmulRules, QueriesTakeTheScaleOfTheKeys) {
  const auto scaled = [](const ExprPtr& x, float by) { return MakeCall("multiply", {x, ScalarConstant(by)}); };
  const ExprPtr queries = scaled(Heads("q", 1, 5, {0, 2, 1, 3}), 0.5F);
  const ExprPtr keys = Reshape(Transpose(Reshape(Input("k", {1, 4, 9, 6}), {4, 9, 6}), {0, 2, 1}), {1, 4, 6, 9});
  const ExprPtr product = Product(Reshape(queries, {4, 5, 6}), Reshape(scaled(keys, 0.25F), {4, 6, 9}));
  const IRModule after = Canonical(product);
  EXPECT_EQ(CountOf(after, "multiply"), 1);
  ASSERT_NE(Scaling(after), nullptr);
  EXPECT_EQ(relay::AsConstant(Scaling(after)->args[1])->value.At(0), 0.125);
  // The keys are read as they come.
  EXPECT_THAT(Layouts(after), ElementsAre("BMK,BNK,BMN"));
}

TEST(MatmulRules, TheSmallerOperandTakesTheScale) {
  const auto product = [](int64_t queries) {
    const ExprPtr keys = MakeCall("multiply", {Input("k", {2, 9, 6}), ScalarConstant(0.3F)});
    return Canonical(Product(Input("q", {2, queries, 6}), keys, true));
  };
  EXPECT_THAT(ShapeOf(Scaling(product(5))->args[0]), ElementsAre(2, 5, 6));
  EXPECT_THAT(ShapeOf(Scaling(product(50))->args[0]), ElementsAre(2, 9, 6));
}

TEST(MatmulRules, AScaleThatAnotherNodeReadsStays) {
  const ExprPtr keys = MakeCall("multiply", {Input("k", {2, 9, 6}), ScalarConstant(0.3F)});
  const IRModule after = Canonical(relay::MakeTuple({Product(Input("q", {2, 5, 6}), keys, true), keys}));
  EXPECT_THAT(ShapeOf(Scaling(after)->args[0]), ElementsAre(2, 9, 6));
}

TEST(MatmulRules, OperandsAreMaskedBeforeTheyAreTransposed) {
  const ExprPtr n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  Tensor positions(DType::kInt64, {1, 9, 1});
  for (int64_t i = 0; i < 9; ++i) positions.Set(i, static_cast<double>(i));
  const auto masked = [&](const ExprPtr& x, const Shape& places) {
    const ExprPtr there = MakeCall("less", {Reshape(relay::MakeConstant(positions), places), n});
    return MakeCall("where", {there, x, ScalarConstant(0)});
  };
  const ExprPtr heads = Reshape(Heads("v", 1, 9, {0, 2, 1, 3}), {4, 9, 6});
  const ExprPtr turned = Transpose(Input("v", {4, 9, 6}), {0, 2, 1});
  EXPECT_THAT(Layouts(Canonical(Product(Input("w", {4, 5, 9}), masked(heads, {1, 9, 1})))), ElementsAre("BMK,KBN,BMN"));
  EXPECT_THAT(Layouts(Canonical(Product(Input("w", {4, 5, 9}), masked(turned, {1, 1, 9}), true))),
              ElementsAre("BMK,BKN,BMN"));
  const ExprPtr apart = masked(Reshape(Input("v", {9, 24}), {1, 9, 4, 6}), {1, 9, 1, 1});
  EXPECT_THAT(Layouts(Canonical(Product(Input("w", {4, 5, 9}), Transpose(Reshape(apart, {9, 4, 6}), {1, 0, 2})))),
              ElementsAre("BMK,KBN,BMN"));
}

TEST(MatmulRules, QueriesTakeTheDivisorOfTheKeys) {
  const ExprPtr keys = MakeCall("divide", {Transpose(Input("k", {2, 9, 6}), {0, 2, 1}), ScalarConstant(9.8F)});
  const IRModule after = Canonical(Product(Input("q", {2, 5, 6}), keys));
  EXPECT_EQ(CountOf(after, "divide"), 0);
  EXPECT_THAT(ShapeOf(Scaling(after)->args[0]), ElementsAre(2, 5, 6));
  EXPECT_THAT(Layouts(after), ElementsAre("BMK,BNK,BMN"));
}

}  // namespace
}  // namespace hone::testing
