#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

std::vector<std::string> Sunk(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(SinkConcats(module));
  ExpectSameMeaning(module, after);
  return OpNames(after);
}

ExprPtr Joined() {
  const ExprPtr a = Input("a", {1, 4, 3, 3}), b = Input("b", {1, 2, 3, 3});
  return MakeCall("concatenate", {relay::MakeTuple({a, b})}, {{"axis", int64_t{1}}});
}

TEST(SinkConcats, ActivationsGoToTheParts) {
  const ExprPtr leaky = MakeCall("nn.leaky_relu", {Joined()}, {{"alpha", 0.5}});
  EXPECT_THAT(Sunk(MakeCall("exp", {leaky})),
              ElementsAre("nn.leaky_relu", "exp", "nn.leaky_relu", "exp", "concatenate"));
}

TEST(SinkConcats, EachPartGetsItsOwnBias) {
  EXPECT_THAT(Sunk(MakeCall("nn.bias_add", {Joined(), RandomConstant({6}, 3)})),
              ElementsAre("nn.bias_add", "nn.bias_add", "concatenate"));
}

TEST(SinkConcats, WhatOthersUseStays) {
  const ExprPtr joined = Joined();
  EXPECT_THAT(Sunk(MakeCall("add", {MakeCall("nn.relu", {joined}), joined})),
              ElementsAre("concatenate", "nn.relu", "add"));
}

}  // namespace
}  // namespace hone::testing
