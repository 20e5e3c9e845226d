#include "compiler/replace_params.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/replace_values.h"
#include "core/error.h"
#include "runtime/package.h"
#include "runtime/replace_params.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

// Records with times for narrow blocks, which no default uses.
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
  return {package->plan(), std::string(package->lib()), std::string(package->params()), package->manifest()};
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

TEST(ReplaceParams, KeepsTheKernelsOfEachPartOfARange) {
  BuildOptions options;
  options.context = TestContext().build;
  options.variant_gain = -1;
  const BuiltParts parts = PartsOf(Build(DenseOfRangedRows(1), options).package);
  ASSERT_FALSE(parts.plan.calls.at(0).variants.empty());
  ASSERT_FALSE(parts.plan.calls[0].boxes.empty());
  EXPECT_EQ(ReplaceParams(parts, DenseOfRangedRows(2), "built"), Build(DenseOfRangedRows(2), options).package);
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

// Chooses Winograd's schedule where it applies.
class Winograd : public ConfigSource {
 public:
  std::optional<ConfigChoice> Choose(const Workload&, const Target&, int,
                                     const std::function<bool(const std::string&, const Config&)>& valid) override {
    if (!valid("conv2d_winograd", Config())) return std::nullopt;
    return ConfigChoice{"conv2d_winograd", Config(), "record", "", 0};
  }
};

relay::IRModule Squeezenet(uint64_t seed) {
  ZooOptions options;
  options.image_shape = {3, 48, 48};
  options.classes = 10;
  options.seed = seed;
  return BuildZoo("squeezenet_v1.1", options);
}

std::vector<NewParam> ParamsOf(const relay::IRModule& module, const std::vector<std::string>& names) {
  std::vector<NewParam> params;
  for (const auto& [name, value] : module.params) {
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    params.push_back({name, {static_cast<const char*>(value.raw()), static_cast<size_t>(value.size_bytes())}});
  }
  return params;
}

void ExpectBytesOfAFreshBuild(const BuildOptions& options, size_t least_open) {
  const relay::IRModule one = Squeezenet(1), two = Squeezenet(2);
  const OpenedPackage opened = OpenParams(PartsOf(Build(one, options).package), one, "built");
  EXPECT_GE(opened.open.size(), least_open);
  EXPECT_EQ(opened.open.size() + opened.closed.size(), one.params.size());
  const auto package = Package::FromBytes(opened.package, "opened");
  const auto replaced = WithNewParams(package, ParamsOf(two, opened.open));
  // The other parameters keep the first network's values.
  relay::IRModule mixed = one;
  for (size_t i = 0; i < mixed.params.size(); ++i) {
    const bool open = std::binary_search(opened.open.begin(), opened.open.end(), mixed.params[i].first);
    if (open) mixed.params[i].second = two.params[i].second;
  }
  const auto fresh = Package::InspectBytes(Build(mixed, options).package, "fresh");
  EXPECT_TRUE(replaced->params() == fresh->params());
  EXPECT_FALSE(package->params() == fresh->params());
}

TEST(OpenParams, AreReplacedByTheBytesOfAFreshBuild) {
  Winograd winograd;
  BuildOptions options;
  options.context = TestContext().build;
  ExpectBytesOfAFreshBuild(options, 50);
  options.configs = &winograd;
  ExpectBytesOfAFreshBuild(options, 50);
}

TEST(OpenParams, ATableOfFloat16IsReplacedByOthers) {
  const auto module = [](uint64_t seed) {
    const auto var = [](const char* name, const Shape& shape, DType dtype) {
      return std::static_pointer_cast<const relay::Var>(relay::MakeVar(name, relay::TensorType(shape, dtype)));
    };
    const auto table = var("table", {256, 8}, DType::kFloat32), places = var("places", {1, 4}, DType::kInt64);
    relay::IRModule made;
    made.main = std::make_shared<relay::Function>(std::vector{places, table}, relay::MakeCall("take", {table, places}),
                                                  relay::Attrs{{"halves", std::string("float16")}});
    made.params = {{"table", RandomTensor({256, 8}, seed).As(DType::kFloat16).As(DType::kFloat32)}};
    return relay::InferType(made);
  };
  BuildOptions options;
  options.context = TestContext().build;
  const OpenedPackage opened = OpenParams(PartsOf(Build(module(1), options).package), module(1), "built");
  EXPECT_EQ(opened.open, std::vector<std::string>{"table"});
  const auto package = Package::FromBytes(opened.package, "opened");
  EXPECT_LT(package->params().size(), 256 * 8 * sizeof(float));
  const auto fresh = Package::InspectBytes(Build(module(2), options).package, "fresh");
  EXPECT_TRUE(WithNewParams(package, ParamsOf(module(2), opened.open))->params() == fresh->params());
}

// A network with batch norms after all convolutions but the first.
TEST(OpenParams, AreNotThoseOfWhichOthersAreComputed) {
  BuildOptions options;
  options.context = TestContext().build;
  const relay::IRModule network = Network(1);
  const OpenedPackage opened = OpenParams(PartsOf(Build(network, options).package), network, "built");
  const auto is_open = [&](const std::string& name) {
    return std::find(opened.open.begin(), opened.open.end(), name) != opened.open.end();
  };
  EXPECT_TRUE(is_open("fc1_weight"));
  EXPECT_FALSE(is_open("stage4_unit2_conv1_weight"));
  EXPECT_FALSE(is_open("stage4_unit2_bn2_gamma"));
}

// One use moves the weight and one computes with it, so replacing only the moved copy would be wrong.
TEST(OpenParams, AreNotUsedElsewhereInAnotherForm) {
  const auto weights = [](uint64_t seed) {
    Tensor tensor(DType::kFloat32, {16, 16});
    FillTensor(tensor, Fill::kUniform, seed);
    return tensor;
  };
  const auto x = std::make_shared<const relay::Var>("x", relay::TensorType({1, 16}));
  const auto w = std::make_shared<const relay::Var>("w", relay::TensorType({16, 16}));
  const auto v = std::make_shared<const relay::Var>("v", relay::TensorType({16, 16}));
  const auto dense = [](const relay::ExprPtr& data, const relay::ExprPtr& weight) {
    return relay::MakeCall("nn.softmax", {relay::MakeCall("nn.dense", {data, weight})});
  };
  const relay::ExprPtr exp = relay::MakeCall("exp", {w});
  const relay::ExprPtr turned = relay::MakeCall("transpose", {v}, {{"axes", std::vector<int64_t>{1, 0}}});
  relay::IRModule module;
  module.name = "tied";
  module.main = std::make_shared<const relay::Function>(std::vector<std::shared_ptr<const relay::Var>>{x, w, v},
                                                        dense(dense(dense(x, w), exp), turned));
  module.params = {{"w", weights(1)}, {"v", weights(2)}};
  BuildOptions options;
  options.context = TestContext().build;
  const OpenedPackage opened = OpenParams(PartsOf(Build(module, options).package), module, "tied");
  EXPECT_EQ(opened.open, std::vector<std::string>{"v"});
  EXPECT_EQ(opened.closed, std::vector<std::string>{"w"});
  // The open parameter is a matrix that the graph transposes.
  const auto package = Package::FromBytes(opened.package, "tied");
  module.params[1].second = weights(3);
  const auto fresh = Package::InspectBytes(Build(module, options).package, "fresh");
  EXPECT_TRUE(WithNewParams(package, ParamsOf(module, {"v"}))->params() == fresh->params());
}

std::string Refusal(const std::shared_ptr<const Package>& package, const std::vector<NewParam>& params, ExitCode code) {
  try {
    WithNewParams(package, params);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "taken";
}

TEST(OpenParams, RefuseWhatDoesNotFit) {
  BuildOptions options;
  options.context = TestContext().build;
  const relay::IRModule network = Squeezenet(1);
  const BuiltParts parts = PartsOf(Build(network, options).package);
  const OpenedPackage opened = OpenParams(parts, network, "built");
  const auto package = Package::FromBytes(opened.package, "p.hone");
  const std::string name = "fire2_left_conv_bias";
  EXPECT_EQ(Refusal(package, {{name, "1234"}}, ExitCode::kUsage),
            "parameter " + name + " is float32 64: 4 bytes were given; 256 would be right");
  const std::string bytes(256, 'a');
  EXPECT_EQ(Refusal(package, {{name, bytes}, {name, bytes}}, ExitCode::kUsage),
            "parameter " + name + " is given twice");
  EXPECT_EQ(Refusal(package, {{name + "x", bytes}}, ExitCode::kUsage).substr(0, 41),
            "p.hone has no parameter fire2_left_conv_b");
  const auto closed = Package::FromBytes(Build(network, options).package, "c.hone");
  EXPECT_EQ(Refusal(closed, {}, ExitCode::kBadConfig).substr(0, 34), "c.hone does not tell which paramet");
  // A manifest is untrusted bytes.
  const auto damaged = [&](const Json& open) {
    PackageFacts facts = FactsOf(parts.manifest);
    facts.open_params = {{"p", open}};
    return Package::FromBytes(WritePackage(parts.plan, parts.lib, ParamBytes(parts.params), facts), "d.hone");
  };
  const auto at = [](int buffer) { return Json::array({{{"buffer", buffer}, {"transposed", false}}}); };
  const std::string four(4, 'x');
  EXPECT_EQ(Refusal(damaged({{"dtype", "float32"}, {"shape", {1}}, {"places", at(99999)}}), {{"p", four}},
                    ExitCode::kBadData),
            "d.hone: open_params of the manifest: no such buffer");
  EXPECT_EQ(
      Refusal(damaged({{"dtype", "float32"}, {"shape", {1}}, {"places", at(0)}}), {{"p", four}}, ExitCode::kBadData),
      "d.hone: open_params of the manifest: a buffer of another kind");
  EXPECT_EQ(Refusal(damaged({{"dtype", "float32"}, {"shape", "1"}}), {{"p", four}}, ExitCode::kBadData),
            "d.hone: open_params of the manifest: p must have dtype, shape and places");
  Json wide = package->manifest().at("open_params").at(name);
  wide["shape"] = {1};
  EXPECT_EQ(Refusal(damaged(wide), {{"p", four}}, ExitCode::kBadData),
            "d.hone: open_params of the manifest: a buffer of another size");
}

}  // namespace
}  // namespace hone::testing
