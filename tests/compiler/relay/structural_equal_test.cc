#include "compiler/relay/structural_equal.h"

#include <gtest/gtest.h>

#include "compiler/relay/text/parser.h"

namespace hone::relay {
namespace {

IRModule Parsed(const std::string& text, const std::map<std::string, Tensor>& values = {}) {
  return ParseModule(text, "", values).module;
}

constexpr const char* kText = "fn (%x: float32, %y: float32) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 2f) }";

TEST(StructuralEqual, DoesNotLookAtNames) {
  const IRModule a = Parsed(kText);
  const IRModule b = Parsed("fn (%p: float32, %q: float32) { let %s = add(%p, %q); add((%s, %p).0, 2f) }");
  EXPECT_TRUE(StructuralEqual(a, b));
  EXPECT_EQ(StructuralHash(a), StructuralHash(b));
}

TEST(StructuralEqual, SeesEveryDifference) {
  const IRModule a = Parsed(kText);
  for (const char* other :
       {"fn (%x: float32, %y: float32) { %0 = add(%y, %x); %1 = (%0, %x); add(%1.0, 2f) }",
        "fn (%x: float32, %y: float32) { %0 = multiply(%x, %y); %1 = (%0, %x); add(%1.0, 2f) }",
        "fn (%x: float32, %y: float32) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.1, 2f) }",
        "fn (%x: float32, %y: float32) { %0 = add(%x, %y); %1 = (%0, %x, %x); add(%1.0, 2f) }",
        "fn (%x: float32, %y: float32) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 3f) }",
        "fn (%x: float32, %y: float32) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 2f64) }",
        "fn (%x: float32, %y: Tensor[(1), float32]) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 2f) }",
        "fn (%x: float32, %y: float32, Primitive=1) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 2f) }",
        "fn (%x: float32, %y: float32, %z: float32) { %0 = add(%x, %y); %1 = (%0, %x); add(%1.0, 2f) }"}) {
    EXPECT_FALSE(StructuralEqual(a, Parsed(other))) << other;
    EXPECT_NE(StructuralHash(a), StructuralHash(Parsed(other))) << other;
  }
}

TEST(StructuralEqual, CountsDefaultsAsGiven) {
  EXPECT_TRUE(StructuralEqual(Parsed("fn (%x) { nn.softmax(%x) }"), Parsed("fn (%x) { nn.softmax(%x, axis=-1) }")));
  EXPECT_FALSE(StructuralEqual(Parsed("fn (%x) { nn.softmax(%x) }"), Parsed("fn (%x) { nn.softmax(%x, axis=1) }")));
}

TEST(StructuralEqual, TellsSharedFromComputedTwice) {
  EXPECT_FALSE(StructuralEqual(Parsed("fn (%x) { %0 = tanh(%x); add(%0, %0) }"),
                               Parsed("fn (%x) { %0 = tanh(%x); %1 = tanh(%x); add(%0, %1) }")));
  EXPECT_FALSE(StructuralEqual(Parsed("fn (%x) { %0 = tanh(%x); %1 = tanh(%x); add(%0, %1) }"),
                               Parsed("fn (%x) { %0 = tanh(%x); add(%0, %0) }")));
}

TEST(StructuralEqual, HoldsAFreeVariableToItself) {
  const ExprPtr x = MakeVar("x"), other = MakeVar("x");
  EXPECT_TRUE(StructuralEqual(MakeCall("tanh", {x}), MakeCall("tanh", {x})));
  EXPECT_FALSE(StructuralEqual(MakeCall("tanh", {x}), MakeCall("tanh", {other})));
}

TEST(StructuralEqual, ComparesValues) {
  const Tensor one = Tensor::FromVector<float>(DType::kFloat32, {2}, {1, 2});
  const Tensor two = Tensor::FromVector<float>(DType::kFloat32, {2}, {1, 3});
  const auto bound = [](const Tensor& w) { return Parsed("fn (%x, %w) { add(%x, %w) }", {{"w", w}}); };
  EXPECT_TRUE(StructuralEqual(bound(one), bound(one.Clone())));
  EXPECT_EQ(StructuralHash(bound(one)), StructuralHash(bound(one.Clone())));
  EXPECT_FALSE(StructuralEqual(bound(one), bound(two)));
  EXPECT_NE(StructuralHash(bound(one)), StructuralHash(bound(two)));
  EXPECT_FALSE(StructuralEqual(bound(one), Parsed("fn (%x, %w) { add(%x, %w) }")));
  EXPECT_FALSE(StructuralEqual(MakeConstant(one), MakeConstant(two)));
  EXPECT_FALSE(StructuralEqual(MakeConstant(one), MakeConstant(one.Reshaped({1, 2}))));
}

TEST(StructuralEqual, GoesIntoFunctions) {
  const std::string text = "def @f(%x) { tanh(%x) } def @main(%x) { @f(@f(%x)) }";
  EXPECT_TRUE(StructuralEqual(Parsed(text), Parsed("def @f(%y) { tanh(%y) } def @main(%z) { @f(@f(%z)) }")));
  EXPECT_FALSE(StructuralEqual(Parsed(text), Parsed("def @f(%y) { exp(%y) } def @main(%z) { @f(@f(%z)) }")));
}

TEST(StructuralHash, IsTheSameInEveryProcess) { EXPECT_EQ(StructuralHash(Parsed(kText)), 18157951957005048087U); }

}  // namespace
}  // namespace hone::relay
