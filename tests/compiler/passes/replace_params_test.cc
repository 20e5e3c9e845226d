#include "compiler/replace_params.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/replace_values.h"
#include "core/error.h"
#include "runtime/package.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

// Records of narrow blocks, which no default takes, each with a time.
class NarrowBlocks : public ConfigSource {
 public:
  std::optional<ConfigChoice> Choose(const Workload&, const Target&, int,
                                     const std::function<bool(const std::string&, const Config&)>& valid) override {
    const Config config({{"oc_block", 8}, {"ic_block", 8}, {"tile_ow", 3}});
    if (!valid("conv2d_direct", config)) return std::nullopt;
    return ConfigChoice{"conv2d_direct", config, "record", "5f", 1000};
  }
};

relay::IRModule Network(uint64_t seed) {
  ZooOptions options;
  options.image_shape = {3, 32, 32};
  options.seed = seed;
  return BuildZoo("resnet-18", options);
}

BuiltParts PartsOf(const std::string& bytes) {
  const auto package = Package::InspectBytes(bytes, "built");
  return {package->plan(), std::string(package->lib()), package->manifest()};
}

TEST(ReplaceParams, KeepsTheConfigsThatTheStoreGaveToTheBuild) {
  NarrowBlocks records;
  BuildOptions options;
  options.context = TestContext().build;
  options.configs = &records;
  const BuiltParts parts = PartsOf(Build(Network(1), options).package);
  const auto taken = [&](const std::string& source) {
    return std::count_if(parts.plan.kernels.begin(), parts.plan.kernels.end(),
                         [&](const PlanKernel& kernel) { return kernel.dispatch.source == source; });
  };
  ASSERT_GT(taken("record"), 5);
  EXPECT_EQ(ReplaceParams(parts, Network(2), "built"), Build(Network(2), options).package);
  EXPECT_NE(ReplaceParams(parts, Network(2), "built"), ReplaceParams(parts, Network(1), "built"));
}

TEST(ReplaceParams, RefusesAPackageOfAnotherHone) {
  BuildOptions options;
  options.context = TestContext().build;
  BuiltParts parts = PartsOf(Build(Network(1), options).package);
  parts.manifest["hone"] = "9.9.9";
  try {
    ReplaceParams(parts, Network(1), "old.hone");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadConfig);
    EXPECT_EQ(std::string(error.what()).substr(0, 38), "old.hone was built by hone 9.9.9, this");
  }
}

TEST(ReplaceParams, NamesAndTypesOfValuesAreTheModels) {
  relay::IRModule module = Network(1);
  const auto replace = [&](const std::string& name, const Tensor& value) {
    std::string text;
    try {
      ReplaceValues(module.params, {{name, value}}, "new.safetensors");
    } catch (const Error& error) {
      text = error.what();
    }
    return text;
  };
  const auto& [name, value] = module.params.front();
  EXPECT_EQ(replace(name, value.Clone()), "");
  EXPECT_EQ(replace(name + "x", value),
            "new.safetensors holds " + name + "x, which is no parameter of the model; did you mean " + name + "?");
  EXPECT_EQ(replace(name, Tensor(DType::kInt8, {2})),
            "new.safetensors: parameter " + name + " is int8 2; the model's is float32 " + ShapeText(value.shape()));
}

}  // namespace
}  // namespace hone::testing
