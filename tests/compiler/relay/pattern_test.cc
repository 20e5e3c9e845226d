#include "compiler/relay/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/relay/function.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "core/error.h"

namespace hone::relay {
namespace {

ExprPtr One() { return MakeConstant(Tensor::Scalar(1)); }

TEST(MatchPattern, GivesWhatEachPartStandsFor) {
  const ExprPtr x = MakeVar("x"), w = MakeVar("w"), bias = One();
  const ExprPtr conv = MakeCall("nn.conv2d", {x, w});
  const ExprPtr sum = MakeCall("add", {conv, bias});
  const Pattern data = Wildcard(), layer = IsCall("nn.conv2d", {data, IsVar("w")}), constant = IsConstant();
  const auto match = MatchPattern(IsCall("add", {layer, constant}), sum);
  ASSERT_TRUE(match);
  EXPECT_EQ((*match)[data], x);
  EXPECT_EQ((*match)[layer], conv);
  EXPECT_EQ((*match)[constant], bias);
  EXPECT_EQ((*match)[Wildcard()], nullptr) << "another pattern";
}

TEST(MatchPattern, FailsWhereOneThingDiffers) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y");
  const ExprPtr sum = MakeCall("add", {x, One()});
  EXPECT_TRUE(MatchPattern(IsCall("add"), sum));
  EXPECT_FALSE(MatchPattern(IsCall("multiply"), sum));
  EXPECT_FALSE(MatchPattern(IsCall("add", {Wildcard()}), sum)) << "of two arguments";
  EXPECT_FALSE(MatchPattern(IsCall("add", {IsConstant(), Wildcard()}), sum));
  EXPECT_FALSE(MatchPattern(IsCall("add", {IsVar("y"), Wildcard()}), sum));
  EXPECT_TRUE(MatchPattern(IsCall("add", {IsVar(), Wildcard()}), sum));
  EXPECT_FALSE(MatchPattern(IsVar(), sum));
  const ExprPtr tuple = MakeTuple({x, y});
  EXPECT_TRUE(MatchPattern(IsTuple({IsVar("x"), IsVar("y")}), tuple));
  EXPECT_FALSE(MatchPattern(IsTuple({IsVar("x")}), tuple));
  EXPECT_TRUE(MatchPattern(IsTupleGetItem(Wildcard(), 1), MakeTupleGetItem(tuple, 1)));
  EXPECT_FALSE(MatchPattern(IsTupleGetItem(Wildcard(), 0), MakeTupleGetItem(tuple, 1)));
  EXPECT_THROW(IsCall("nn.reluu"), Error);
}

TEST(MatchPattern, OnePatternStandsForOneNode) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y");
  const Pattern any = Wildcard();
  const Pattern square = IsCall("multiply", {any, any});
  EXPECT_TRUE(MatchPattern(square, MakeCall("multiply", {x, x})));
  EXPECT_FALSE(MatchPattern(square, MakeCall("multiply", {x, y})));
}

// A failed alternative leaves no matches behind.
TEST(MatchPattern, TriesAlternativesInTheirOrder) {
  const ExprPtr x = MakeVar("x"), c = One();
  const Pattern value = Wildcard(), constant = IsConstant();
  const Pattern first = IsCall("add", {value, constant}), second = IsCall("add", {constant, value});
  const auto match = MatchPattern(first || second, MakeCall("add", {c, x}));
  ASSERT_TRUE(match);
  EXPECT_EQ((*match)[value], x);
  EXPECT_EQ((*match)[constant], c);
  EXPECT_EQ((*match)[first], nullptr);
  EXPECT_NE((*match)[second], nullptr);
}

TEST(MatchPattern, ComparesAttributesTypesAndMore) {
  const ExprPtr x = MakeVar("x", TensorType({1, 8}));
  const ExprPtr softmax = InferType(MakeFunction(MakeCall("nn.softmax", {x}, {{"axis", int64_t{1}}})))->body;
  EXPECT_TRUE(MatchPattern(IsCall("nn.softmax").WithAttr("axis", int64_t{1}), softmax));
  EXPECT_FALSE(MatchPattern(IsCall("nn.softmax").WithAttr("axis", int64_t{0}), softmax));
  EXPECT_FALSE(MatchPattern(IsCall("nn.softmax").WithAttr("axes", int64_t{1}), softmax));
  EXPECT_TRUE(MatchPattern(Wildcard().WithType(TensorType({1, 8})), softmax));
  EXPECT_FALSE(MatchPattern(Wildcard().WithType(TensorType({8, 1})), softmax));
  EXPECT_FALSE(MatchPattern(Wildcard().WithType(TensorType({8})), MakeVar("untyped")));
  EXPECT_FALSE(MatchPattern(Wildcard().Where([](const ExprPtr&) { return false; }), softmax));
}

TEST(RewriteMatches, RewritesEachMatchOnceFromTheInputsOn) {
  const ExprPtr x = MakeVar("x", TensorType({4}));
  ExprPtr chain = x;
  for (int i = 0; i < 3; ++i) chain = MakeCall("nn.relu", {chain});
  const Pattern inner = Wildcard(), twice = IsCall("nn.relu", {IsCall("nn.relu", {inner})});
  int matches = 0;
  const ExprPtr once = RewriteMatches(MakeFunction(MakeCall("tanh", {chain})), twice, [&](const Match& match) {
    ++matches;
    return MakeCall("nn.relu", {match[inner]});
  });
  EXPECT_EQ(matches, 2);
  IRModule module;
  module.main = InferType(std::static_pointer_cast<const Function>(once));
  EXPECT_EQ(ToText(module, {.types = false, .as = "expr"}),
            "free_var %x: Tensor[(4), float32];\n%0 = nn.relu(%x);\ntanh(%0)\n");
}

TEST(RewriteMatches, KeepsWhatItIsToldToAndWhatDoesNotMatch) {
  const ExprPtr graph = MakeCall("tanh", {MakeCall("nn.relu", {MakeVar("x")})});
  EXPECT_EQ(RewriteMatches(graph, IsCall("nn.relu"), [](const Match&) { return ExprPtr(); }), graph);
  EXPECT_EQ(RewriteMatches(graph, IsCall("sigmoid"), [](const Match&) { return MakeVar("y"); }), graph);
}

TEST(RewriteMatches, GoesThroughLongChains) {
  ExprPtr chain = MakeVar("x");
  for (int i = 0; i < 200'000; ++i) chain = MakeCall("nn.relu", {chain});
  int matches = 0;
  RewriteMatches(chain, IsCall("nn.relu"), [&](const Match&) {
    ++matches;
    return ExprPtr();
  });
  EXPECT_EQ(matches, 200'000);
}

}  // namespace
}  // namespace hone::relay
