// Whole networks: the passes at every level keep the results.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

relay::IRModule Small(const std::string& name) {
  ZooOptions options;
  options.classes = 10;
  if (name != "mlp") options.image_shape = {3, 32, 32};
  return relay::InferType(BuildZoo(name, options));
}

// Bound parameters are not inputs.
relay::IRModule Bound(const relay::IRModule& module) { return AllPasses().front().run(module, TestContext()); }

class ZooPasses : public ::testing::TestWithParam<const char*> {};

TEST_P(ZooPasses, KeepTheMeaningAtEveryLevel) {
  const relay::IRModule module = Small(GetParam());
  const relay::IRModule bound = relay::InferType(Bound(module));
  for (const int level : {0, 1, 2, 3}) {
    SCOPED_TRACE(level);
    const relay::IRModule after = RunPassesUntil("choose_layouts", module, TestContext(level));
    EXPECT_EQ(CountOf(after, "nn.batch_norm"), 0);
    ExpectSameMeaning(bound, after, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, ZooPasses,
                         ::testing::Values("mlp", "mobilenet", "resnet-18", "shufflenet", "squeezenet"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ZooPasses, ChannelsLastKeepTheMeaningAndTurnOnce) {
  for (const char* name : {"mobilenet", "resnet-18"}) {
    SCOPED_TRACE(name);
    ZooOptions options{.classes = 10, .image_shape = {40, 40, 3}, .layout = "NHWC"};
    const relay::IRModule module = relay::InferType(BuildZoo(name, options));
    const relay::IRModule bound = relay::InferType(Bound(module));
    for (const int level : {0, 3}) {
      ExpectSameMeaning(bound, RunPassesUntil("choose_layouts", module, TestContext(level)), 1e-4);
    }
    EXPECT_EQ(CountOf(RunPassesUntil("sink_transposes", module, TestContext()), "transpose"), 1) << "the image's alone";
  }
}

TEST(ZooPasses, VolumesBecomePlanesAtEveryLevel) {
  const relay::IRModule module =
      relay::InferType(BuildZoo("resnet_3d-18", {.classes = 10, .image_shape = {3, 3, 36, 36}}));
  const relay::IRModule bound = relay::InferType(Bound(module));
  for (const int level : {0, 3}) {
    ExpectSameMeaning(bound, RunPassesUntil("choose_layouts", module, TestContext(level)), 1e-4);
  }
}

TEST(ZooPasses, RefuseAModuleWithoutTypes) {
  EXPECT_THROW(RunPasses(BuildZoo("mlp", {}), TestContext()), Error);
  EXPECT_THROW(RunPassesUntil("fuse", BuildZoo("mlp", {}), TestContext()), Error);
}

TEST(ZooPasses, MobilenetsBatchNormsAreAllFolded) {
  const relay::IRModule after = RunPasses(Small("mobilenet"), TestContext());
  EXPECT_EQ(CountOf(after, "nn.conv2d"), 27);
  EXPECT_EQ(CountOf(after, "multiply"), 0);
  EXPECT_EQ(CountOf(after, "add"), 0);
  EXPECT_EQ(CountOf(after, "nn.bias_add"), 28);
}

}  // namespace
}  // namespace hone::testing
