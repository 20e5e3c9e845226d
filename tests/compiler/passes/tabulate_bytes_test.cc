#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/quantised_layers.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

// The form that LiftScales and StoreBytes leave: the byte q is the number q * scale.
ExprPtr Number(const ExprPtr& bytes, float scale) {
  const ExprPtr whole = MakeCall("cast", {bytes}, {{"dtype", std::string("float32")}});
  return MakeCall("multiply", {whole, ScalarConstant(scale)});
}

ExprPtr Byte(const ExprPtr& number, float scale) {
  const ExprPtr rounded = MakeCall("round", {MakeCall("divide", {number, ScalarConstant(scale)})});
  const ExprPtr bounded = MakeCall("clip", {rounded}, {{"a_min", 0.0}, {"a_max", 255.0}});
  return MakeCall("cast", {bounded}, {{"dtype", std::string("uint8")}});
}

ExprPtr Silu(const ExprPtr& x) { return MakeCall("multiply", {x, MakeCall("sigmoid", {x})}); }

// Bytes of every value from normal values between -2 and 2.
ExprPtr Bytes(const std::string& name, const Shape& shape = {2, 3, 50, 7}) {
  return Byte(MakeCall("add", {Input(name, shape), ScalarConstant(2)}), 1 / 64.0F);
}

IRModule Tabulated(const IRModule& module) { return relay::InferType(TabulateBytes(module)); }

TEST(TabulateBytes, FunctionsOfOneByteAreLookedUp) {
  const IRModule module = ModuleOf(Byte(Silu(Number(Bytes("x"), 0.05F)), 0.03F));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 1);
  EXPECT_EQ(CountOf(tabulated, "sigmoid") + CountOf(tabulated, "multiply"), 0);
  ExpectSameMeaning(module, tabulated, 0);
}

// The sigmoid is rounded to a byte of its own in between.
TEST(TabulateBytes, RoundingOnTheWayIsPartOfIt) {
  const ExprPtr x = Bytes("x");
  const ExprPtr gate = Byte(MakeCall("sigmoid", {Number(x, 0.05F)}), 1 / 255.0F);
  const IRModule module = ModuleOf(Byte(MakeCall("multiply", {Number(x, 0.05F), Number(gate, 1 / 255.0F)}), 0.03F));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 1);
  EXPECT_EQ(CountOf(tabulated, "sigmoid") + CountOf(tabulated, "multiply"), 0);
  ExpectSameMeaning(module, tabulated, 0);
}

// Each tensor gets a table; their product stays.
TEST(TabulateBytes, SeveralTensorsStayApart) {
  const ExprPtr a = Byte(Silu(Number(Bytes("x"), 0.05F)), 0.03F), b = Byte(Silu(Number(Bytes("y"), 0.05F)), 0.03F);
  const IRModule module = ModuleOf(Byte(MakeCall("multiply", {Number(a, 0.03F), Number(b, 0.03F)}), 0.1F));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 2);
  EXPECT_EQ(CountOf(tabulated, "multiply"), 3) << "two scales and the product";
  ExpectSameMeaning(module, tabulated, 0);
}

// The table's input is itself a byte computed from two tensors.
TEST(TabulateBytes, AByteOfTwoTensorsIsASourceItself) {
  const ExprPtr sum = MakeCall("add", {Number(Bytes("x"), 0.05F), Number(Bytes("y"), 0.05F)});
  const IRModule module = ModuleOf(Byte(Silu(Number(Byte(sum, 0.1F), 0.1F)), 0.2F));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 1);
  ExpectSameMeaning(module, tabulated, 0);
}

TEST(TabulateBytes, WhatScalesAndRoundsAloneStays) {
  const IRModule module = ModuleOf(Byte(MakeCall("nn.relu", {Number(Bytes("x"), 0.05F)}), 0.03F));
  EXPECT_EQ(CountOf(Tabulated(module), "byte_table"), 0);
}

// The form in which LiftScales leaves a quantised value that is computed between other layers.
ExprPtr Rounded(const ExprPtr& number, float scale, double lo, double hi) {
  const ExprPtr whole = MakeCall("round", {MakeCall("divide", {number, ScalarConstant(scale)})});
  return MakeCall("clip", {whole}, {{"a_min", lo}, {"a_max", hi}});
}

TEST(TabulateBytes, FloatsThatEightBitsHoldAreLookedUp) {
  struct Bounds {
    double lo, hi;
    int tables;
  };
  const ExprPtr x = Input("x", {2, 3, 50, 7});
  for (const Bounds& each : {Bounds{-128, 127, 1},
                             {0, 255, 1},
                             {-7, 100, 1},
                             {-120, 135, 1},
                             {3, 258, 1},
                             {-1, 255, 0},
                             {-128, 200, 0},
                             {-0.5, 9, 0}}) {
    SCOPED_TRACE(each.lo);
    const ExprPtr whole = Rounded(x, 0.02F, each.lo, each.hi);
    const IRModule module = ModuleOf(Byte(Silu(MakeCall("multiply", {whole, ScalarConstant(0.02F)})), 0.03F));
    const IRModule tabulated = Tabulated(module);
    EXPECT_EQ(CountOf(tabulated, "byte_table"), each.tables);
    ExpectSameMeaning(module, tabulated, 0);
  }
}

TEST(TabulateBytes, AZeroPointMayLieBetween) {
  const ExprPtr whole = MakeCall("round", {MakeCall("divide", {Input("x", {5, 70}), ScalarConstant(0.02F)})});
  const ExprPtr held =
      MakeCall("clip", {MakeCall("add", {whole, ScalarConstant(100)})}, {{"a_min", 0.0}, {"a_max", 255.0}});
  const ExprPtr number =
      MakeCall("multiply", {MakeCall("subtract", {held, ScalarConstant(100)}), ScalarConstant(0.02F)});
  const IRModule module = ModuleOf(Byte(MakeCall("tanh", {number}), 0.01F));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 1);
  ExpectSameMeaning(module, tabulated, 0);
}

TEST(TabulateBytes, SignedBytesAreLookedUpAsWell) {
  const auto as_signed = [](const ExprPtr& whole) {
    return MakeCall("cast", {whole}, {{"dtype", std::string("int8")}});
  };
  const ExprPtr x = as_signed(Rounded(Input("x", {5, 70}), 0.02F, -128, 127));
  const IRModule module = ModuleOf(as_signed(Rounded(Silu(Number(x, 0.02F)), 0.01F, -128, 127)));
  const IRModule tabulated = Tabulated(module);
  EXPECT_EQ(CountOf(tabulated, "byte_table"), 1);
  EXPECT_EQ(CountOf(tabulated, "sigmoid"), 0);
  ExpectSameMeaning(module, tabulated, 0);
  EXPECT_EQ(CountOf(Tabulated(tabulated), "byte_table"), 1);
}

// A number per channel, and a tensor that is broadcast to another's shape.
TEST(TabulateBytes, WhatDiffersByPlaceStays) {
  const ExprPtr x = Number(Bytes("x"), 0.05F);
  const ExprPtr per_channel = MakeCall("multiply", {Silu(x), RandomConstant({3, 1, 1}, 1)});
  EXPECT_EQ(CountOf(Tabulated(ModuleOf(Byte(per_channel, 0.03F))), "byte_table"), 0);
  const ExprPtr gate = MakeCall("sigmoid", {Number(Bytes("y", {2, 3, 1, 1}), 0.05F)});
  EXPECT_EQ(CountOf(Tabulated(ModuleOf(Byte(MakeCall("multiply", {x, gate}), 0.03F))), "byte_table"), 0);
}

}  // namespace
}  // namespace hone::testing
