#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::Call;
using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

ExprPtr Reshape(const ExprPtr& x, Ints shape) { return MakeCall("reshape", {x}, {{"newshape", std::move(shape)}}); }

// A convolution over rows of 8 columns, in the form that a frontend makes.
ExprPtr RowConv(const ExprPtr& rows, int64_t in, int64_t out, uint64_t seed) {
  const ExprPtr conv = MakeCall("nn.conv2d", {Reshape(rows, {2, in, 1, 8}), RandomConstant({out, in, 1, 3}, seed)},
                                {{"padding", Ints{0, 1, 0, 1}}});
  return Reshape(conv, {2, out, 8});
}

ExprPtr Rows(const char* name = "x", int64_t channels = 4) { return Input(name, {2, channels, 8}); }

IRModule After(const IRModule& module) { return relay::InferType(RowsAsPlanes(module)); }

// The operators after the first convolution. Checks that the results are unchanged.
std::vector<std::string> Behind(const ExprPtr& body) {
  const IRModule module = ModuleOf(body), after = After(module);
  ExpectSameMeaning(module, after);
  const std::vector<std::string> names = OpNames(after);
  return {std::find(names.begin(), names.end(), "nn.conv2d") + 1, names.end()};
}

// As Behind, without the second convolution and the last reshape.
std::vector<std::string> Between(const ExprPtr& body) {
  std::vector<std::string> names = Behind(body);
  EXPECT_EQ(names.back(), "reshape");
  names.pop_back();
  EXPECT_EQ(names.back(), "nn.conv2d");
  names.pop_back();
  return names;
}

TEST(RowsAsPlanes, ElementwiseOperatorsAreOnImages) {
  const ExprPtr x = MakeCall("nn.relu", {RowConv(Rows(), 4, 6, 1)});
  const ExprPtr y = MakeCall("clip", {MakeCall("multiply", {x, ScalarConstant(2)})}, {{"a_min", 0.0}, {"a_max", 1.0}});
  EXPECT_THAT(Between(RowConv(y, 6, 4, 2)), ElementsAre("nn.relu", "multiply", "clip"));
}

TEST(RowsAsPlanes, OperandsBroadcastAsTheyDid) {
  const ExprPtr x = RowConv(Rows(), 4, 6, 1);
  for (const Shape& shape : {Shape{6, 1}, Shape{8}, Shape{1, 6, 8}, Shape{2, 1, 1}, Shape{1, 1, 1}, Shape{}}) {
    const ExprPtr y = MakeCall("maximum", {RandomConstant(shape, 3), x});
    EXPECT_THAT(Between(RowConv(y, 6, 4, 2)), ElementsAre("maximum")) << ShapeText(shape);
  }
}

TEST(RowsAsPlanes, SumsOfTwoAreOnImages) {
  const ExprPtr a = RowConv(Rows(), 4, 4, 1), b = MakeCall("nn.relu", {RowConv(a, 4, 4, 2)});
  EXPECT_THAT(Between(RowConv(MakeCall("add", {a, b}), 4, 4, 3)), ElementsAre("nn.conv2d", "nn.relu", "add"));
  // A value that no window computes gets a reshape of its own.
  EXPECT_THAT(Between(RowConv(MakeCall("add", {Rows("y"), a}), 4, 4, 3)), ElementsAre("add"));
}

TEST(RowsAsPlanes, ChannelsAndColumnsKeepTheirAxes) {
  const ExprPtr x = RowConv(Rows(), 4, 6, 1);
  const ExprPtr biased = MakeCall("nn.bias_add", {x, RandomConstant({6}, 3)});
  EXPECT_THAT(Between(RowConv(biased, 6, 4, 2)), ElementsAre("nn.bias_add"));
  const ExprPtr softmax = MakeCall("nn.softmax", {x}, {{"axis", int64_t{-1}}});
  EXPECT_THAT(Between(RowConv(softmax, 6, 4, 2)), ElementsAre("nn.softmax"));
  const ExprPtr joined =
      MakeCall("concatenate", {relay::MakeTuple({x, RowConv(Rows(), 4, 2, 5)})}, {{"axis", int64_t{1}}});
  EXPECT_THAT(Between(RowConv(joined, 8, 4, 2)), ElementsAre("reshape", "nn.conv2d", "concatenate"));
  const ExprPtr wide = MakeCall("concatenate", {relay::MakeTuple({x, x})}, {{"axis", int64_t{-1}}});
  EXPECT_THAT(Behind(MakeCall("nn.relu", {wide})), ElementsAre("concatenate", "nn.relu", "reshape"));
}

TEST(RowsAsPlanes, PadsSlicesAndSplitsKeepTheirAxes) {
  const ExprPtr x = RowConv(Rows(), 4, 6, 1);
  const ExprPtr padded = MakeCall("nn.pad", {x}, {{"pad_width", Ints{0, 0, 1, 0, 2, 3}}});
  const ExprPtr sliced = MakeCall("strided_slice", {padded}, {{"begin", Ints{1}}, {"end", Ints{9}}, {"axes", Ints{2}}});
  EXPECT_THAT(Between(RowConv(sliced, 7, 4, 2)), ElementsAre("nn.pad", "strided_slice"));
  const ExprPtr all = MakeCall("strided_slice", {padded}, {{"begin", Ints{0, 1, 0}}, {"end", Ints{2, 5, 8}}});
  EXPECT_THAT(Between(RowConv(all, 4, 4, 2)), ElementsAre("nn.pad", "strided_slice"));
  const ExprPtr halves = MakeCall("split", {x}, {{"indices_or_sections", int64_t{2}}, {"axis", int64_t{1}}});
  const ExprPtr gated = MakeCall(
      "multiply", {relay::MakeTupleGetItem(halves, 0), MakeCall("sigmoid", {relay::MakeTupleGetItem(halves, 1)})});
  EXPECT_THAT(Between(RowConv(gated, 3, 4, 2)), ElementsAre("split", "split", "sigmoid", "multiply"));
}

TEST(RowsAsPlanes, BatchNormsMeetTheirConvolutions) {
  std::vector<ExprPtr> args{RowConv(Rows(), 4, 6, 1)};
  for (const uint64_t seed : {2, 3, 4}) args.push_back(RandomConstant({6}, seed));
  args.push_back(relay::MakeConstant(PositiveTensor({6}, 5)));
  const ExprPtr norm = relay::MakeTupleGetItem(MakeCall("nn.batch_norm", args), 0);
  EXPECT_THAT(Between(RowConv(norm, 6, 4, 2)), ElementsAre("nn.batch_norm"));
}

TEST(RowsAsPlanes, MeansOverColumnsAreOverTheImage) {
  const ExprPtr x = RowConv(Rows(), 4, 6, 1);
  for (const bool keep : {false, true}) {
    const IRModule module = ModuleOf(MakeCall("mean", {x}, {{"axis", Ints{-1}}, {"keepdims", keep}}));
    const IRModule after = After(module);
    ExpectSameMeaning(module, after);
    const Call* mean = relay::AsCallTo(relay::AsCall(after.main->body)->args[0], "mean");
    ASSERT_NE(mean, nullptr);
    EXPECT_THAT(mean->attrs.GetInts("axis"), ElementsAre(3, 2));
  }
  const IRModule all = ModuleOf(MakeCall("max", {x}));
  ExpectSameMeaning(all, After(all));
  EXPECT_EQ(ShapeOf(relay::AsCallTo(relay::AsCall(After(all).main->body)->args[0], "max")->args[0]).size(), 4U);
  const IRModule channels = ModuleOf(MakeCall("max", {x}, {{"axis", Ints{1}}, {"keepdims", true}}));
  ExpectSameMeaning(channels, After(channels));
}

TEST(RowsAsPlanes, ImagesOfOneColumnToo) {
  const ExprPtr conv = MakeCall("nn.conv2d", {Input("x", {1, 3, 9, 1}), RandomConstant({4, 3, 3, 1}, 1)},
                                {{"padding", Ints{1, 0, 1, 0}}});
  const ExprPtr rows = MakeCall("add", {MakeCall("squeeze", {conv}, {{"axis", Ints{3}}}), RandomConstant({4, 9}, 2)});
  EXPECT_THAT(Behind(MakeCall("nn.relu", {rows})), ElementsAre("add", "nn.relu", "reshape"));
}

TEST(RowsAsPlanes, OtherReshapesStay) {
  const auto stays = [](const ExprPtr& body) {
    const IRModule module = ModuleOf(body);
    return RowsAsPlanes(module).main == module.main;
  };
  EXPECT_TRUE(stays(MakeCall("nn.relu", {Reshape(Input("x", {2, 4, 1, 8}), {2, 4, 8})}))) << "no window computes it";
  const ExprPtr conv = Conv(Input("x", {1, 3, 1, 8}), 3, 4, 3, 1);
  EXPECT_TRUE(stays(MakeCall("nn.relu", {Reshape(conv, {1, 8, 4})}))) << "other rows than the image's";
  EXPECT_TRUE(stays(MakeCall("nn.relu", {Reshape(conv, {1, 32})})));
  EXPECT_TRUE(stays(MakeCall("transpose", {Reshape(conv, {1, 4, 8})}, {{"axes", Ints{0, 2, 1}}})));
}

}  // namespace
}  // namespace hone::testing
