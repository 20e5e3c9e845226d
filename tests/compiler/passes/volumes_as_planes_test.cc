#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

int64_t Between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.Below(static_cast<uint64_t>(high - low + 1)));
}

// A window that fits data of at least 3 along each axis; the attribute `size` names the number of taps.
Attrs DrawnWindow(Random& random, const char* size) {
  Ints kernel, strides, dilation, padding;
  for (int i = 0; i < 3; ++i) {
    kernel.push_back(Between(random, 1, 3));
    strides.push_back(Between(random, 1, 3));
    dilation.push_back(kernel.back() == 2 ? Between(random, 1, 2) : 1);
  }
  for (size_t i = 0; i < 6; ++i) padding.push_back(Between(random, 0, kernel[i % 3] - 1));
  return {{size, kernel}, {"strides", strides}, {"dilation", dilation}, {"padding", padding}};
}

Shape DrawnShape(Random& random, int64_t channels) {
  return {Between(random, 1, 2), channels, Between(random, 3, 6), Between(random, 3, 7), Between(random, 3, 8)};
}

void ExpectPlanes(const IRModule& module) {
  const IRModule planes = relay::InferType(VolumesAsPlanes(module));
  for (const std::string& op : OpNames(planes)) EXPECT_FALSE(op.ends_with("3d")) << op;
  EXPECT_EQ(relay::ToText(planes.main->body->type), relay::ToText(module.main->body->type));
  ExpectSameMeaning(module, planes);
}

TEST(VolumesAsPlanes, KeepTheMeaningOfConvolutions) {
  Random random(3);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Attrs attrs = DrawnWindow(random, "kernel_size");
    const int64_t groups = Between(random, 1, 2), in = Between(random, 1, 3), out = Between(random, 1, 3);
    Shape weight{groups * out, in};
    for (const int64_t size : attrs.GetInts("kernel_size")) weight.push_back(size);
    attrs.Set("groups", groups);
    attrs.Set("channels", groups * out);
    const ExprPtr conv =
        MakeCall("nn.conv3d", {Input("x", DrawnShape(random, groups * in)), RandomConstant(weight, seed)}, attrs);
    ExpectPlanes(ModuleOf(MakeCall("nn.bias_add", {conv, RandomConstant({groups * out}, seed + 100)})));
  }
}

TEST(VolumesAsPlanes, KeepTheMeaningOfTransposedConvolutions) {
  Random random(4);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Attrs attrs = DrawnWindow(random, "kernel_size");
    attrs.Set("output_padding", Ints{Between(random, 0, 2), Between(random, 0, 1), Between(random, 0, 2)});
    attrs.Set("dilation", Ints{Between(random, 1, 3), 1, Between(random, 1, 2)});
    const int64_t groups = Between(random, 1, 2), in = Between(random, 1, 3), out = Between(random, 1, 3);
    Shape weight{groups * in, out};
    for (const int64_t size : attrs.GetInts("kernel_size")) weight.push_back(size);
    attrs.Set("groups", groups);
    const ExprPtr conv = MakeCall("nn.conv3d_transpose",
                                  {Input("x", DrawnShape(random, groups * in)), RandomConstant(weight, seed)}, attrs);
    ExpectPlanes(ModuleOf(MakeCall("nn.bias_add", {conv, RandomConstant({groups * out}, seed + 100)})));
  }
}

TEST(VolumesAsPlanes, KeepTheMeaningOfPools) {
  Random random(5);
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Attrs attrs = DrawnWindow(random, "pool_size");
    attrs.Set("ceil_mode", seed % 3 == 0);
    const ExprPtr x = Input("x", DrawnShape(random, 2));
    ExpectPlanes(ModuleOf(MakeCall("nn.max_pool3d", {x}, attrs)));
    attrs.Set("count_include_pad", seed % 2 == 0);
    ExpectPlanes(ModuleOf(MakeCall("nn.avg_pool3d", {x}, attrs)));
  }
  ExpectPlanes(ModuleOf(MakeCall("nn.global_avg_pool3d", {Input("x", {2, 3, 4, 5, 6})})));
}

TEST(VolumesAsPlanes, VolumesThatLieTogetherArePooledThere) {
  const ExprPtr x = Input("x", {2, 3, 7, 5, 6});
  const Attrs window{{"pool_size", Ints{3, 3, 3}}, {"strides", Ints{2, 2, 2}}, {"padding", Ints{1, 1, 1, 1, 1, 1}}};
  for (const char* op : {"nn.max_pool3d", "nn.avg_pool3d"}) {
    const IRModule module = ModuleOf(MakeCall(op, {MakeCall("nn.relu", {x})}, window));
    EXPECT_EQ(CountOf(VolumesAsPlanes(module), "transpose") + CountOf(VolumesAsPlanes(module), "nn.pad"), 0);
    ExpectPlanes(module);
    const ExprPtr conv = MakeCall("nn.conv3d", {x, RandomConstant({4, 3, 3, 3, 3}, 1)});
    const IRModule behind = ModuleOf(MakeCall(op, {MakeCall("nn.relu", {conv})}, window));
    EXPECT_EQ(CountOf(VolumesAsPlanes(behind), "strided_slice"), 9) << "planes of a convolution stay planes";
    ExpectPlanes(behind);
  }
}

TEST(VolumesAsPlanes, PaddedPoolsOfOnePlaneSeeThePadding) {
  const ExprPtr x = Input("x", {1, 2, 3, 4, 4});
  const Attrs window{{"pool_size", Ints{1, 2, 2}},
                     {"strides", Ints{2, 1, 1}},
                     {"padding", Ints{1, 0, 0, 1, 0, 0}},
                     {"count_include_pad", true}};
  ExpectPlanes(ModuleOf(MakeCall("nn.avg_pool3d", {x}, window)));
}

TEST(VolumesAsPlanes, AWindowOfTheDepthIsOneOfRows) {
  const ExprPtr x = Input("x", {2, 4, 7, 5, 6});
  const Attrs strided{{"strides", Ints{2, 1, 1}}, {"padding", Ints{1, 0, 0, 0, 0, 0}}, {"groups", int64_t{2}}};
  const ExprPtr deep = MakeCall("nn.conv3d", {x, RandomConstant({6, 2, 3, 1, 1}, 1)}, strided);
  const ExprPtr pointwise = MakeCall("nn.conv3d", {Input("x", {2, 64, 3, 5, 6}), RandomConstant({65, 64, 1, 1, 1}, 1)});
  for (const ExprPtr& conv : {deep, pointwise}) {
    const IRModule module = ModuleOf(MakeCall("nn.bias_add", {conv, RandomConstant({conv == deep ? 6 : 65}, 2)}));
    const IRModule planes = VolumesAsPlanes(module);
    EXPECT_EQ(CountOf(planes, "nn.conv2d"), 1);
    EXPECT_EQ(CountOf(planes, "transpose") + CountOf(planes, "add"), 0);
    EXPECT_NE(relay::AsCallTo(planes.main->body, "reshape"), nullptr) << "the bias is added before";
    ExpectPlanes(module);
  }
  const IRModule wide =
      ModuleOf(MakeCall("nn.conv3d", {x, RandomConstant({6, 4, 3, 1, 1}, 1)}, {{"strides", Ints{1, 2, 1}}}));
  EXPECT_EQ(CountOf(VolumesAsPlanes(wide), "nn.conv2d"), 3);
  ExpectPlanes(wide);
}

TEST(VolumesAsPlanes, ABiasIsAddedOnThePlanes) {
  const ExprPtr conv = MakeCall("nn.conv3d", {Input("x", {1, 2, 4, 5, 6}), RandomConstant({4, 2, 3, 3, 3}, 1)},
                                {{"padding", Ints{1, 1, 1}}});
  const auto over = [](const IRModule& module) {
    const relay::Call* bias = nullptr;
    relay::PostOrderVisit(module.main, [&](const ExprPtr& expr) {
      const relay::Call* call = relay::AsCallTo(expr, "nn.bias_add");
      if (call != nullptr) bias = call;
    });
    return bias->type->shape;
  };
  const ExprPtr biased = MakeCall("nn.bias_add", {conv, RandomConstant({4}, 2)});
  const IRModule module = ModuleOf(MakeCall("nn.relu", {biased}));
  EXPECT_EQ(over(VolumesAsPlanes(module)), (Shape{4, 4, 5, 6}));
  ExpectPlanes(module);
  const IRModule shared = ModuleOf(MakeCall("add", {conv, biased}));
  EXPECT_EQ(over(VolumesAsPlanes(shared)), (Shape{1, 4, 4, 5, 6})) << "what others use is not computed again";
  ExpectPlanes(shared);
  ExpectPlanes(ModuleOf(MakeCall("nn.bias_add", {conv, RandomConstant({5}, 2)}, {{"axis", int64_t{3}}})));
}

TEST(VolumesAsPlanes, ABiasStaysBehindAReshapeThatMovesChannels) {
  const ExprPtr conv = MakeCall("nn.conv2d", {Input("x", {2, 3, 3, 8}), RandomConstant({4, 3, 1, 1}, 1)});
  const ExprPtr volumes = MakeCall("reshape", {conv}, {{"newshape", Ints{4, 4, 3, 2, 2}}});
  ExpectPlanes(ModuleOf(MakeCall("nn.bias_add", {volumes, RandomConstant({4}, 2)})));
}

TEST(VolumesAsPlanes, NamesAndMarksGoWithThem) {
  const ExprPtr x = Input("x", {1, 4, 4, 5, 6});
  const IRModule module =
      ModuleOf(MakeCall("nn.conv3d", {x, RandomConstant({4, 4, 3, 3, 3}, 1)}, {{"keep_float32", true}}, "layer"));
  const IRModule planes = VolumesAsPlanes(module);
  EXPECT_EQ(CountOf(planes, "nn.conv2d"), 3);
  relay::PostOrderVisit(planes.main, [](const ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr) return;
    EXPECT_EQ(call->name, "layer");
    EXPECT_EQ(call->attrs.GetBool("keep_float32"), relay::AsCallTo(expr, "nn.conv2d") != nullptr);
  });
}

TEST(VolumesAsPlanes, TapsOfFewChannelsAreChannels) {
  const IRModule module =
      ModuleOf(MakeCall("nn.conv3d", {Input("x", {1, 1, 4, 5, 6}), RandomConstant({4, 1, 3, 3, 3}, 1)}));
  const IRModule planes = VolumesAsPlanes(module);
  EXPECT_EQ(CountOf(planes, "nn.conv2d"), 1);
  EXPECT_EQ(CountOf(planes, "add"), 0);
  ExpectSameMeaning(module, relay::InferType(planes));
}

TEST(VolumesAsPlanes, WindowsOfOneTapPadNothing) {
  const ExprPtr x = Input("x", {1, 2, 4, 5, 6});
  const IRModule module =
      ModuleOf(MakeCall("nn.conv3d", {x, RandomConstant({4, 2, 1, 3, 3}, 1)}, {{"padding", Ints{0, 1, 1}}}));
  EXPECT_EQ(CountOf(VolumesAsPlanes(module), "nn.pad"), 0);
  EXPECT_EQ(CountOf(VolumesAsPlanes(module), "nn.conv2d"), 1);
}

TEST(VolumesAsPlanes, RefuseShapesThatAreNotKnown) {
  const ExprPtr x = Input("x", {relay::kAnyDim, 2, 4, 5, 6});
  const IRModule module = ModuleOf(MakeCall("nn.conv3d", {x, RandomConstant({4, 2, 1, 3, 3}, 1)}, {}, "deep"));
  try {
    VolumesAsPlanes(module);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_STREQ(error.what(), "node deep: the shape of a volume must be known");
  }
}

// In the list of passes drop_empty removes them first.
TEST(VolumesAsPlanes, NeverSeeTensorsWithoutElements) {
  for (const Shape& shape : {Shape{0, 2, 4, 5, 6}, Shape{1, 2, 0, 5, 6}, Shape{1, 2, 4, 0, 6}}) {
    const Attrs padded{{"padding", Ints{1, 1, 1}}};
    const IRModule module =
        ModuleOf(MakeCall("nn.conv3d", {Input("x", shape), RandomConstant({4, 2, 1, 1, 1}, 1)}, padded));
    const IRModule after = RunPassesUntil("volumes_as_planes", module, TestContext());
    EXPECT_NE(relay::AsConstant(after.main->body), nullptr);
    EXPECT_EQ(after.main->body->type->shape, module.main->body->type->shape);
  }
  const IRModule pool =
      ModuleOf(MakeCall("nn.max_pool3d", {Input("x", {1, 0, 4, 5, 6})}, {{"pool_size", Ints{2, 2, 2}}}));
  EXPECT_EQ(CountOf(RunPassesUntil("volumes_as_planes", pool, TestContext()), "nn.max_pool3d"), 0);
}

TEST(VolumesAsPlanes, OthersAreLeftAlone) {
  const IRModule module = ModuleOf(Conv(Input("x", {1, 4, 8, 8}), 4, 8, 3, 1));
  EXPECT_EQ(VolumesAsPlanes(module).main->body, module.main->body);
}

}  // namespace
}  // namespace hone::testing
