#include "compiler/relay/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Names(const std::vector<std::shared_ptr<const Var>>& vars) {
  std::vector<std::string> names;
  for (const auto& var : vars) names.push_back(var->name);
  return names;
}

std::string Refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FreeVars, AreEachMetOnceInTheOrderOfTheWalk) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y");
  const ExprPtr sum = MakeCall("add", {MakeCall("nn.relu", {y}), x});
  EXPECT_THAT(Names(FreeVars(MakeCall("multiply", {sum, y}))), ElementsAre("y", "x"));
  EXPECT_TRUE(FreeVars(MakeConstant(Tensor::Scalar(1))).empty());
}

TEST(FreeVars, AreNoParametersOfAFunctionWithin) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y"), z = MakeVar("z");
  const FunctionPtr inner = MakeFunction({x}, MakeCall("tanh", {x}));
  const ExprPtr call = std::make_shared<Call>(inner, std::vector<ExprPtr>{y}, Attrs(), "");
  EXPECT_THAT(Names(FreeVars(MakeCall("add", {call, z}))), ElementsAre("y", "z"));
  EXPECT_TRUE(FreeVars(inner).empty());
}

TEST(MakeFunction, TakesTheFreeVariablesOrThoseGiven) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y");
  const ExprPtr body = MakeCall("add", {x, y});
  EXPECT_THAT(Names(MakeFunction(body)->params), ElementsAre("x", "y"));
  EXPECT_THAT(Names(MakeFunction({y, x}, body)->params), ElementsAre("y", "x"));
}

TEST(MakeFunction, RefusesWhatIsNoFunction) {
  const ExprPtr x = MakeVar("x"), y = MakeVar("y");
  const ExprPtr body = MakeCall("add", {x, y});
  EXPECT_THAT(Refusal([&] { MakeFunction({x}, body); }), HasSubstr("y is used and is no parameter"));
  EXPECT_THAT(Refusal([&] { MakeFunction({x, y, x}, body); }), HasSubstr("x stands there twice"));
  EXPECT_THAT(Refusal([&] { MakeFunction({x, body}, body); }), HasSubstr("parameter 1 is no Var"));
}

TEST(MakeCall, NamesTheNearestOperatorAndAttribute) {
  const ExprPtr x = MakeVar("x");
  EXPECT_EQ(Refusal([&] { MakeCall("nn.conv2", {x, x}); }), "there is no operator nn.conv2; did you mean nn.conv2d?");
  EXPECT_THAT(Refusal([&] { MakeCall("nn.softmax", {x}, {{"axes", int64_t{1}}}); }),
              HasSubstr("nn.softmax has no attribute axes; did you mean axis?; its attributes are axis"));
  EXPECT_THAT(Refusal([&] { MakeCall("add", {x}); }), HasSubstr("add takes 2 inputs, not 1"));
}

}  // namespace
}  // namespace hone::relay
