#include "compiler/relay/expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;

constexpr int kLong = 1'000'000;

ExprPtr Chain(ExprPtr from, int length) {
  ExprPtr last = std::move(from);
  for (int i = 0; i < length; ++i) last = MakeCall("nn.relu", {last});
  return last;
}

std::vector<std::string> Walk(const ExprPtr& root) {
  std::vector<std::string> kinds;
  PostOrderVisit(root, [&](const ExprPtr& expr) {
    kinds.push_back(AsOp(expr) ? AsOp(expr)->def->name : std::string(ExprKindName(expr->kind)));
  });
  return kinds;
}

TEST(MakeCall, CompletesAttributesInTheSchemasOrder) {
  const ExprPtr call = MakeCall("nn.leaky_relu", {MakeVar("x")}, {{"alpha", int64_t{2}}});
  EXPECT_EQ(AsCall(call)->attrs, (Attrs{{"alpha", 2.0}}));
  EXPECT_EQ(AsCall(MakeCall("nn.softmax", {MakeVar("x")}))->attrs.GetInt("axis", 7), -1);
}

TEST(MakeCall, RefusesWhatTheSchemaDoesNotKnow) {
  EXPECT_THROW(MakeCall("nn.conv9d", {MakeVar("x")}), Error);
  EXPECT_THROW(MakeCall("nn.relu", {}), Error);
  EXPECT_THROW(MakeCall("nn.relu", {MakeVar("x")}, {{"slope", 1.0}}), Error);
  EXPECT_THROW(MakeCall("nn.softmax", {MakeVar("x")}, {{"axis", "last"}}), Error);
}

TEST(AsCallTo, NeedsThatOperator) {
  const ExprPtr call = MakeCall("nn.relu", {MakeVar("x")});
  EXPECT_NE(AsCallTo(call, "nn.relu"), nullptr);
  EXPECT_EQ(AsCallTo(call, "tanh"), nullptr);
  EXPECT_EQ(AsCallTo(nullptr, "tanh"), nullptr);
}

TEST(AllOps, AreSortedDescribedAndWhole) {
  std::string last;
  for (const OpDef* def : AllOps()) {
    EXPECT_LT(last, def->name);
    last = def->name;
    EXPECT_FALSE(def->description.empty()) << def->name;
    EXPECT_TRUE(def->type_relation && def->reference) << def->name;
    EXPECT_EQ(FindOp(def->name), def);
    EXPECT_EQ(GetOp(def->name), GetOp(def->name));
  }
}

TEST(PostOrderVisit, MeetsEachOpBeforeItsArguments) {
  const ExprPtr x = MakeVar("x");
  const ExprPtr inner = MakeCall("add", {x, MakeConstant(Tensor::Scalar(1))});
  const ExprPtr outer = MakeCall("multiply", {MakeCall("nn.relu", {inner}), MakeConstant(Tensor::Scalar(2))});
  const auto function = std::make_shared<Function>(
      std::vector<std::shared_ptr<const Var>>{std::static_pointer_cast<const Var>(x)}, outer);
  EXPECT_THAT(Walk(function), ElementsAre("Var", "multiply", "nn.relu", "add", "Constant", "Call", "Call", "Constant",
                                          "Call", "Function"));
}

TEST(PostOrderVisit, MeetsASharedNodeOnce) {
  const ExprPtr x = MakeVar("x");
  const ExprPtr shared = MakeCall("tanh", {x});
  EXPECT_THAT(Walk(MakeCall("add", {shared, shared})), ElementsAre("add", "tanh", "Var", "Call", "Call"));
}

TEST(RewritePostOrder, KeepsWhatDidNotChangeAndSharesWhatDid) {
  const ExprPtr x = MakeVar("x");
  const ExprPtr y = MakeVar("y");
  const ExprPtr kept = MakeCall("tanh", {y});
  const ExprPtr shared = MakeCall("exp", {x});
  const ExprPtr root = MakeTuple({kept, shared, MakeCall("nn.relu", {shared})});
  const ExprPtr rewritten = RewritePostOrder(root, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
    return old == x ? MakeConstant(Tensor::Scalar(1)) : rebuilt;
  });
  const Tuple& tuple = *AsTuple(rewritten);
  EXPECT_EQ(tuple.fields[0], kept);
  EXPECT_NE(AsConstant(AsCall(tuple.fields[1])->args[0]), nullptr);
  EXPECT_EQ(AsCall(tuple.fields[2])->args[0], tuple.fields[1]);
  EXPECT_EQ(RewritePostOrder(root, [](const ExprPtr&, const ExprPtr& rebuilt) { return rebuilt; }), root);
}

TEST(RewritePostOrder, AParameterThatBecomesAConstantIsOneNoMore) {
  const auto x = std::make_shared<const Var>("x");
  const auto w = std::make_shared<const Var>("w");
  const auto function =
      std::make_shared<Function>(std::vector<std::shared_ptr<const Var>>{x, w}, MakeCall("add", {x, w}));
  const ExprPtr frozen = RewritePostOrder(function, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
    return old == w ? MakeConstant(Tensor::Scalar(1)) : rebuilt;
  });
  EXPECT_THAT(AsFunction(frozen)->params, ElementsAre(x));
}

TEST(RewritePostOrder, TreatsCalledFunctionsAsLeaves) {
  const auto p = std::make_shared<const Var>("p");
  const auto inner = std::make_shared<Function>(std::vector<std::shared_ptr<const Var>>{p}, MakeCall("tanh", {p}));
  const ExprPtr call = std::make_shared<Call>(inner, std::vector<ExprPtr>{MakeVar("x")}, Attrs{}, "");
  bool met_inside = false;
  RewritePostOrder(call, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
    met_inside = met_inside || old == p;
    return rebuilt;
  });
  EXPECT_FALSE(met_inside);
}

TEST(CountUses, CountsEachUseAndTheRoot) {
  const ExprPtr x = MakeVar("x");
  const ExprPtr root = MakeCall("add", {x, x});
  const auto uses = CountUses(root);
  EXPECT_EQ(uses.at(x.get()), 2);
  EXPECT_EQ(uses.at(root.get()), 1);
}

TEST(LongChain, IsWalkedRewrittenTypedAndDropped) {
  const auto x = std::make_shared<const Var>("x", TensorType({1}));
  FunctionPtr function = std::make_shared<Function>(std::vector<std::shared_ptr<const Var>>{x}, Chain(x, kLong));
  int calls = 0;
  PostOrderVisit(function, [&](const ExprPtr& expr) { calls += AsCall(expr) != nullptr; });
  EXPECT_EQ(calls, kLong);
  const ExprPtr y = MakeVar("y");
  RewritePostOrder(function->body, [&](const ExprPtr& old, const ExprPtr& rebuilt) { return old == x ? y : rebuilt; });
  function = InferType(function);
  EXPECT_EQ(ToText(function->body->type), "Tensor[(1), float32]");
  function.reset();
}

}  // namespace
}  // namespace hone::relay
