#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

ExprPtr Join(std::vector<ExprPtr> parts, int64_t axis = 1) {
  return MakeCall("concatenate", {relay::MakeTuple(std::move(parts))}, {{"axis", axis}});
}

// The number of tensors that the concatenations take in total.
size_t Inputs(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(NestConcats(module));
  ExpectSameMeaning(module, after);
  size_t inputs = 0;
  for (const ExprPtr& expr : PostOrder(after.main->body)) {
    if (const relay::Tuple* tuple = relay::AsTuple(expr)) inputs += tuple->fields.size();
  }
  return inputs;
}

TEST(NestConcats, AListThatGrowsTakesEachPartOnce) {
  const ExprPtr a = Input("a", {1, 4, 3, 3}), b = Input("b", {1, 4, 3, 3});
  const ExprPtr c = Conv(Join({a, b}), 8, 4, 1, 1), d = Conv(Join({a, b, c}), 12, 4, 1, 2);
  EXPECT_EQ(Inputs(Join({a, b, c, d})), 6U);
}

TEST(NestConcats, OtherOrdersAndAxesStay) {
  const ExprPtr a = Input("a", {1, 4, 4, 4}), b = Input("b", {1, 4, 4, 4});
  const ExprPtr c = Conv(Join({a, b}), 8, 4, 1, 1);
  EXPECT_EQ(Inputs(Join({b, a, c})), 5U);
  EXPECT_EQ(Inputs(Join({a, b, c}, 2)), 5U);
}

TEST(NestConcats, AListOfVeryManyPartsIsLookedThroughOnce) {
  const IRModule module = ModuleOf(Join(std::vector<ExprPtr>(100'000, Input("a", {1, 1}))));
  EXPECT_EQ(NestConcats(module).main, module.main);
}

}  // namespace
}  // namespace hone::testing
