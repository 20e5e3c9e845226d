#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/half_types.h"
#include "compiler/relay/text/parser.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

IRModule Typed(const std::string& text) { return relay::InferParsed(relay::ParseModule(text, "", {})); }

ExprPtr Cast(const ExprPtr& x, const std::string& dtype) { return MakeCall("cast", {x}, {{"dtype", dtype}}); }

ExprPtr HalfInput(const std::string& name, const Shape& shape, DType half = DType::kFloat16) {
  return relay::MakeVar(name, relay::TensorType(shape, half));
}

// Numbers that float16 holds, named by the attribute of a module of float16.
IRModule WithHalves(const ExprPtr& body) {
  IRModule module = ModuleOf(body);
  relay::Attrs attrs{{std::string(relay::kHalves), std::string("float16")}};
  const std::vector<std::shared_ptr<const relay::Var>> params = module.main->params;
  module.main = TypedFunction(params, module.main->body, std::move(attrs));
  return module;
}

Tensor ExactWeights(const Shape& shape) { return RandomTensor(shape, 3).As(DType::kFloat16).As(DType::kFloat32); }

// The operators after the pass, which keeps each bit.
std::vector<std::string> Stored(const IRModule& module) {
  const IRModule stored = StoreHalves(module);
  ExpectSameMeaning(module, stored, 0);
  return OpNames(stored);
}

constexpr const char* kMoves = R"(
def @main(%x: Tensor[(2, 3, 4), HALF], %y: Tensor[(2, 5, 4), HALF], %c: Tensor[(4, 8, 2), bool]) {
  %0 = cast(%x, dtype="float32");
  %1 = cast(%y, dtype="float32");
  %2 = (%0, %1);
  %3 = concatenate(%2, axis=1);
  %4 = transpose(%3, axes=[2, 1, 0]);
  %5 = where(%c, %4, %4);
  %6 = nn.pad(%5, pad_width=[0, 1, 0, 0, 0, 0], pad_value=-0.5f);
  %7 = split(%6, indices_or_sections=[2, 3], axis=1);
  %8 = reshape(%7.1, newshape=[-1]);
  (cast(%7.0, dtype="HALF"), cast(%8, dtype="HALF"), cast(%7.2, dtype="HALF"))
})";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(StoreHalves, MovesBetweenCastsKeepTheHalf) {
  for (const char* half : {"float16", "bfloat16"}) {
    EXPECT_THAT(Stored(Typed(Replaced(kMoves, "HALF", half))),
                ElementsAre("concatenate", "transpose", "where", "nn.pad", "split", "reshape"))
        << half;
  }
}

TEST(StoreHalves, AModuleOfFloat32StaysItself) {
  const IRModule module = Typed(R"(
def @main(%x: Tensor[(2, 3), float32]) { transpose(%x, axes=[1, 0]) })");
  EXPECT_EQ(StoreHalves(module).main, module.main);
}

// The reader of float32 widens what it reads.
TEST(StoreHalves, ReadersOfFloat32WidenWhatWasMoved) {
  EXPECT_THAT(Stored(Typed(R"(
def @main(%x: Tensor[(4, 6), float16]) {
  %0 = cast(%x, dtype="float32");
  %1 = strided_slice(%0, begin=[0, 1], end=[4, 5], strides=[1, 1]);
  (nn.relu(%1), cast(%1, dtype="float16"))
})")),
              ElementsAre("strided_slice", "cast", "nn.relu"));
}

TEST(StoreHalves, ComputedValuesAreRoundedBeforeTheyAreMoved) {
  const IRModule module = Typed(R"(
def @main(%x: Tensor[(4, 6), float16], %y: Tensor[(4, 6), float32]) {
  %0 = nn.relu(multiply(%y, 0.3f));
  %1 = cast(%x, dtype="float32");
  %2 = (%0, %1);
  %3 = concatenate(%2, axis=1);
  cast(transpose(%3, axes=[1, 0]), dtype="float16")
})");
  EXPECT_THAT(Stored(module), ElementsAre("multiply", "nn.relu", "cast", "concatenate", "transpose"));
  EXPECT_EQ(FunctionNames(Fuse(StoreHalves(module))).front(), "multiply+nn.relu+cast");
}

TEST(StoreHalves, NothingIsRoundedForReadersOfFloat32) {
  EXPECT_THAT(Stored(Typed(R"(
def @main(%y: Tensor[(4, 6), float32], %z: Tensor[(4, 6), float32]) {
  %0 = (sigmoid(%y), sigmoid(%z));
  %1 = concatenate(%0, axis=1);
  %2 = transpose(%1, axes=[1, 0]);
  (cast(%2, dtype="float16"), %2)
})")),
              ElementsAre("sigmoid", "sigmoid", "concatenate", "transpose", "cast"));
}

TEST(StoreHalves, WhatComputesWithElementsStays) {
  const auto scattered = [](const std::string& mode) {
    const ExprPtr places = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {1, 2}, {3, 0}));
    const ExprPtr data = Cast(HalfInput("x", {4, 6}), "float32"), updates = Cast(HalfInput("u", {2, 6}), "float32");
    return ModuleOf(Cast(MakeCall("scatter_nd", {data, places, updates}, {{"mode", mode}}), "float16"));
  };
  EXPECT_THAT(Stored(scattered("update")), ElementsAre("scatter_nd"));
  EXPECT_THAT(Stored(scattered("max")), ElementsAre("cast", "cast", "scatter_nd", "cast"));
  // No float16 is a tenth.
  EXPECT_THAT(Stored(Typed(R"(
def @main(%x: Tensor[(4), float16]) {
  %0 = cast(%x, dtype="float32");
  cast(nn.pad(%0, pad_width=[1, 1], pad_value=0.1f), dtype="float16")
})")),
              ElementsAre("cast", "nn.pad", "cast"));
}

TEST(StoreHalves, AProductsTransposeStaysInItsKernel) {
  EXPECT_THAT(Stored(Typed(R"(
def @main(%x: Tensor[(4, 2, 6), float16], %y: Tensor[(2, 5, 6), float32]) {
  %0 = cast(%x, dtype="float32");
  nn.batch_matmul(transpose(%0, axes=[1, 0, 2]), %y)
})")),
              ElementsAre("cast", "transpose", "nn.batch_matmul"));
}

TEST(StoreHalves, ATableOfWeightsIsStoredAsTheHalf) {
  const auto taken = [](const Tensor& table) {
    const ExprPtr places = relay::MakeVar("i", relay::TensorType({1, 5}, DType::kInt64));
    return MakeCall("nn.relu", {MakeCall("take", {relay::MakeConstant(table), places})});
  };
  const Tensor exact = ExactWeights({256, 8}), inexact = RandomTensor({256, 8}, 3);
  EXPECT_THAT(Stored(WithHalves(taken(exact))), ElementsAre("take", "cast", "nn.relu"));
  EXPECT_THAT(Stored(WithHalves(taken(inexact))), ElementsAre("take", "nn.relu"));
  EXPECT_THAT(Stored(ModuleOf(taken(exact))), ElementsAre("take", "nn.relu")) << "no module of float16";
}

TEST(StoreHalves, ElementwiseOperatorsReadTheirConstantsAsTheHalf) {
  const auto sum = [](const Shape& shape, const ExprPtr& data) {
    return WithHalves(MakeCall("nn.relu", {MakeCall("add", {data, relay::MakeConstant(ExactWeights(shape))})}));
  };
  const IRModule module = sum({64, 32}, Input("x", {64, 32}));
  EXPECT_THAT(Stored(module), ElementsAre("cast", "add", "nn.relu"));
  EXPECT_THAT(FunctionNames(Fuse(StoreHalves(module))), ElementsAre("cast+add+nn.relu"));
  EXPECT_THAT(Stored(sum({32}, Input("x", {64, 32}))), ElementsAre("add", "nn.relu")) << "few numbers";
  EXPECT_THAT(Stored(sum({1, 8, 16, 16}, Conv(Input("x", {1, 4, 16, 16}), 4, 8, 1, 1))),
              ElementsAre("nn.conv2d", "add", "nn.relu"))
      << "an epilogue of float32";
}

// Widening is part of the kernels that read float16: of lines, and behind a transpose.
TEST(StoreHalves, NormalisationsWidenWithinTheirKernel) {
  const IRModule module = Typed(R"(
def @main(%x: Tensor[(8, 64), float16]) {
  %0 = cast(%x, dtype="float32");
  %1 = mean(%0, axis=[1], keepdims=True);
  cast(subtract(%0, %1), dtype="float16")
})");
  EXPECT_THAT(FunctionNames(Fuse(StoreHalves(module))), ElementsAre("cast+mean+subtract+cast"));
}

TEST(StoreHalves, TheAttributeNamesTypesOf16Bits) {
  const IRModule wrong = Typed(R"(
def @main(%x: Tensor[(2), float32], halves="float32") { nn.relu(%x) })");
  try {
    StoreHalves(wrong);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_EQ(std::string(error.what()),
              "halves of @main is \"float32\"; float16, bfloat16 or both with a comma would be right");
  }
}

// A random value that moves make of others.
ExprPtr RandomMove(std::vector<ExprPtr>& values, Random& random) {
  const auto any = [&] { return values[random.Below(values.size())]; };
  const ExprPtr x = any(), y = any();
  const std::vector<int64_t> swap{1, 0};
  switch (random.Below(7)) {
    case 0:
      return MakeCall("transpose", {x}, {{"axes", swap}});
    case 1:
      return MakeCall("concatenate",
                      {relay::MakeTuple({MakeCall("strided_slice", {x},
                                                  {{"begin", std::vector<int64_t>{0, 0}},
                                                   {"end", std::vector<int64_t>{6, 3}},
                                                   {"strides", std::vector<int64_t>{1, 1}}}),
                                         MakeCall("strided_slice", {y},
                                                  {{"begin", std::vector<int64_t>{0, 3}},
                                                   {"end", std::vector<int64_t>{6, 6}},
                                                   {"strides", std::vector<int64_t>{1, 1}}})})},
                      {{"axis", int64_t{1}}});
    case 2: {
      const ExprPtr parts =
          MakeCall("split", {x}, {{"indices_or_sections", std::vector<int64_t>{2, 5}}, {"axis", int64_t{1}}});
      return MakeCall("concatenate",
                      {relay::MakeTuple({relay::MakeTupleGetItem(parts, 1), relay::MakeTupleGetItem(parts, 2),
                                         relay::MakeTupleGetItem(parts, 0)})},
                      {{"axis", int64_t{1}}});
    }
    case 3:
      return MakeCall("where", {MakeCall("less", {x, y}), x, y});
    case 4:
      return MakeCall("multiply", {x, ScalarConstant(0.3F)});
    case 5:
      return MakeCall("reshape", {MakeCall("reshape", {x}, {{"newshape", std::vector<int64_t>{4, 9}}})},
                      {{"newshape", std::vector<int64_t>{6, 6}}});
    default:
      return Cast(Cast(x, "float16"), "float32");
  }
}

TEST(StoreHalves, RandomGraphsKeepTheirBits) {
  int stored = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<ExprPtr> values{Cast(HalfInput("x", {6, 6}), "float32"), Cast(HalfInput("y", {6, 6}), "float32"),
                                Input("z", {6, 6})};
    for (int i = 0; i < 12; ++i) values.push_back(RandomMove(values, random));
    std::vector<ExprPtr> results;
    for (size_t i = values.size() - 4; i < values.size(); ++i) {
      results.push_back(random.Below(3) == 0 ? values[i] : Cast(values[i], "float16"));
    }
    const IRModule module = ModuleOf(relay::MakeTuple(results));
    const IRModule after = StoreHalves(module);
    ExpectSameMeaning(module, after, 0);
    stored += CountOf(after, "cast") < CountOf(module, "cast") ? 1 : 0;
  }
  EXPECT_GT(stored, 100);
}

}  // namespace
}  // namespace hone::testing
