#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/text/parser.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

relay::IRModule Typed(const char* text) { return relay::InferParsed(relay::ParseModule(text, "", {})); }

constexpr const char* kText = R"(
def @half(%x) { multiply(%x, 0.5f) }
def @norm(%x, %scale) { %0 = @half(%x); (add(%0, %scale), %0) }
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) {
  %0 = @norm(%x, %y);
  %1 = @norm(%0.1, %x);
  %2 = fn (%p: Tensor[(2, 3), float32], Primitive=1) { %p };
  subtract(@half(%1.0), %2(%0.0))
})";

TEST(InlineFunctions, PutsBodiesInThePlaceOfCalls) {
  const relay::IRModule before = Typed(kText);
  const relay::IRModule after = InlineFunctions(before);
  EXPECT_TRUE(FunctionCalls(after).empty());
  EXPECT_EQ(CountOf(after, "multiply"), 3);
  ExpectSameMeaning(before, after);
  EXPECT_THAT(relay::ToText(after),
              ::testing::HasSubstr("def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) -> "
                                   "Tensor[(2, 3), float32] {\n"));
}

TEST(InlineFunctions, KeepsAModuleWithoutThem) {
  const relay::IRModule before = Typed("fn (%x: Tensor[(2), float32]) { tanh(%x) }");
  EXPECT_EQ(InlineFunctions(before).main, before.main);
}

}  // namespace
}  // namespace hone::testing
