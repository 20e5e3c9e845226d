#include "compiler/frontend/zoo/zoo.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/text/parser.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

const ZooOptions kSmall{.batch = 1, .classes = 10, .image_shape = {3, 32, 32}};

// Networks with large windows, or with many halvings of the image, need a larger one.
Shape SmallestImage(const std::string& name) {
  if (name == "alexnet" || name == "zfnet512") return {3, 99, 99};
  if (name == "lstm") return {1, 2, 10};
  if (name.starts_with("resnet_3d")) return {3, 2, 36, 36};
  return name == "inception_v3" ? Shape{3, 75, 75} : name == "dqn" ? Shape{4, 36, 36} : Shape{3, 32, 32};
}

std::vector<std::string> ParamNames(const relay::IRModule& module) {
  std::vector<std::string> names;
  for (const auto& param : module.main->params) names.push_back(param->name);
  return names;
}

TEST(Zoo, MobilenetReadsAsItsUsersKnowIt) {
  const std::string text = relay::ToText(BuildZoo("mobilenet"));
  EXPECT_THAT(text, HasSubstr("def @main(%data: Tensor[(1, 3, 224, 224), float32], %conv_block_1_conv_weight, "
                              "%conv_block_1_bn_gamma, %conv_block_1_bn_beta, %conv_block_1_bn_moving_mean, "
                              "%conv_block_1_bn_moving_var, %separable_conv_block_1_weight: Tensor[(32, 1, 3, 3), "
                              "float32], %separable_conv_block_1_bn1_gamma"));
  EXPECT_THAT(text,
              HasSubstr("  %0 = nn.conv2d(%data, %conv_block_1_conv_weight, strides=[2, 2], padding=[1, 1, 1, 1], "
                        "channels=32, kernel_size=[3, 3]);\n"));
  EXPECT_THAT(text, HasSubstr("  %2 = %1.0;\n  %3 = nn.relu(%2);\n"));
  EXPECT_THAT(text, HasSubstr("  nn.softmax(%111)\n"));
}

TEST(Zoo, EveryNetworkHasTypesAndAValueForEachParameter) {
  for (const ZooEntry& entry : ZooEntries()) {
    // The largest networks run the same code as their smaller variants.
    if (entry.name.starts_with("vgg") || (entry.name.starts_with("resnet-") && entry.name.size() > 9)) continue;
    if (entry.name.starts_with("resnet_3d-") && entry.name != "resnet_3d-18" && entry.name != "resnet_3d-50") continue;
    ZooOptions options = kSmall;
    options.image_shape = SmallestImage(entry.name);
    const relay::IRModule module = BuildZoo(entry.name, options);
    EXPECT_EQ(module.name, "zoo:" + entry.name);
    const size_t inputs = entry.name == "lstm" ? 2 : 1;
    EXPECT_EQ(module.params.size() + inputs, module.main->params.size()) << entry.name;
    const relay::IRModule typed = relay::InferType(module);
    const bool makes_images = entry.name == "dcgan" || entry.name == "synthetic";
    const Shape wanted = makes_images ? Shape{1, 3, 32, 32} : Shape{1, 10};
    EXPECT_EQ(typed.main->body->type->shape, wanted) << entry.name;
  }
}

std::vector<std::string> ParamShapes(const relay::IRModule& module) {
  std::vector<std::string> shapes;
  for (const auto& [name, value] : module.params) shapes.push_back(name + " " + ShapeText(value.shape()));
  return shapes;
}

TEST(Zoo, DensenetsDifferInDepthAndGrowth) {
  const auto wide = ParamShapes(BuildZoo("densenet-161", kSmall));
  EXPECT_THAT(wide, testing::IsSupersetOf({"conv1_weight 96x3x7x7", "conv2d_2_3_23_weight 48x192x3x3"}));
  EXPECT_THAT(ParamShapes(BuildZoo("densenet-169", kSmall)), testing::Contains("conv2d_2_3_31_weight 32x128x3x3"));
  EXPECT_THAT(ParamShapes(BuildZoo("densenet-201", kSmall)), testing::Contains("conv2d_2_2_47_weight 32x128x3x3"));
}

TEST(Zoo, TheDeepestResnetsHaveMoreUnits) {
  const auto last = [](const char* name, const char* param) {
    return testing::Value(ParamShapes(BuildZoo(name, kSmall)), testing::Contains(param));
  };
  EXPECT_TRUE(last("resnet-200", "stage2_unit24_conv3_weight 512x128x1x1"));
  EXPECT_TRUE(last("resnet-269", "stage4_unit8_conv3_weight 2048x512x1x1"));
}

TEST(Zoo, MobilenetComesNarrowerAndShallower) {
  const auto narrow = ParamShapes(BuildZoo("mobilenet-0.25", kSmall));
  EXPECT_EQ(narrow[0], "conv_block_1_conv_weight 8x3x3x3");
  EXPECT_THAT(narrow, testing::IsSupersetOf({"separable_conv_block_1_weight 8x1x3x3",
                                             "separable_conv_block_1_conv2_weight 16x8x1x1",
                                             "separable_conv_block_13_conv2_weight 256x256x1x1", "fc_weight 10x256"}));
  EXPECT_THAT(ParamShapes(BuildZoo("mobilenet-0.75", kSmall)), testing::Contains("fc_weight 10x768"));
  const auto shallow = ParamShapes(BuildZoo("mobilenet_shallow", kSmall));
  EXPECT_THAT(shallow, testing::Contains("separable_conv_block_7_conv2_weight 1024x512x1x1"));
  EXPECT_THAT(shallow, testing::Contains("separable_conv_block_8_weight 1024x1x3x3"));
  EXPECT_THAT(shallow, Not(testing::Contains(HasSubstr("block_9"))));
}

TEST(Zoo, VggComesWithBatchNorms) {
  const std::vector<std::string> names = ParamNames(BuildZoo("vgg-11_bn", kSmall));
  EXPECT_THAT(std::vector<std::string>(names.begin(), names.begin() + 8),
              testing::ElementsAre("data", "conv1_1_weight", "conv1_1_bias", "bn1_1_gamma", "bn1_1_beta",
                                   "bn1_1_moving_mean", "bn1_1_moving_var", "conv2_1_weight"));
}

TEST(Zoo, SyntheticIsSmall) {
  const relay::IRModule module = BuildZoo("synthetic");
  EXPECT_THAT(ParamShapes(module),
              testing::ElementsAre("dense_weight 12x12", "conv_weight 3x3x3x3", "bias 3", "batch_norm_gamma 3",
                                   "batch_norm_beta 3", "batch_norm_moving_mean 3", "batch_norm_moving_var 3",
                                   "dense2_weight 12x12", "conv2_weight 3x3x3x3"));
  EXPECT_EQ(relay::InferType(module).main->body->type->shape, (Shape{1, 3, 24, 12}));
}

// One unit and two steps, written out.
TEST(Zoo, LstmComputesItsFormula) {
  const relay::IRModule module = BuildZoo("lstm", {.image_shape = {1, 2, 1}, .seed = 5});
  EXPECT_THAT(ParamNames(module),
              testing::ElementsAre("inputs_0", "i2h_0_weight", "i2h_0_bias", "h2h_0_weight", "h2h_0_bias", "inputs_1",
                                   "i2h_1_weight", "i2h_1_bias", "h2h_1_weight", "h2h_1_bias"));
  EXPECT_THAT(module.params, testing::SizeIs(8));
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  double hidden = 0, cell = 0;
  for (size_t step = 0; step < 2; ++step) {
    const auto gate = [&](int64_t number) {
      const auto value = [&](size_t param) { return module.params[4 * step + param].second.At(number); };
      return value(0) * (step == 0 ? 0.5 : -2) + value(1) + value(2) * hidden + value(3);
    };
    const double in = sigmoid(gate(0)), forget = sigmoid(gate(1)), transform = std::tanh(gate(2)), out = gate(3);
    cell = forget * cell + in * transform;
    hidden = sigmoid(out) * std::tanh(cell);
  }
  const auto number = [](float value) { return Tensor::FromVector<float>(DType::kFloat32, {1, 1}, {value}); };
  const Tensor result =
      RunReference(relay::InferType(module), {{"inputs_0", number(0.5F)}, {"inputs_1", number(-2)}})[0];
  EXPECT_NEAR(result.At(0), hidden, 1e-6);
}

Shape InputShape(const relay::IRModule& module) { return module.main->params[0]->type->shape; }

Shape ResultShape(const relay::IRModule& module) { return relay::InferType(module).main->body->type->shape; }

TEST(Zoo, NetworksHaveClassesOfTheirOwn) {
  EXPECT_EQ(ResultShape(BuildZoo("squeezenet_v1.1")), (Shape{1, 1000}));
  EXPECT_EQ(ResultShape(BuildZoo("mlp")), (Shape{1, 10}));
  EXPECT_EQ(ResultShape(BuildZoo("dqn")), (Shape{1, 18}));
  EXPECT_EQ(ResultShape(BuildZoo("dqn", {.classes = 7})), (Shape{1, 7}));
}

TEST(Zoo, NetworksHaveAnImageSizeOfTheirOwn) {
  EXPECT_EQ(InputShape(BuildZoo("mlp")), (Shape{1, 1, 28, 28}));
  EXPECT_EQ(InputShape(BuildZoo("squeezenet")), (Shape{1, 3, 224, 224}));
  EXPECT_EQ(InputShape(BuildZoo("dqn")), (Shape{1, 4, 84, 84}));
  EXPECT_EQ(InputShape(BuildZoo("dqn", {.image_shape = {1, 40, 50}})), (Shape{1, 1, 40, 50}));
  EXPECT_EQ(InputShape(BuildZoo("dcgan", {.batch = 2})), (Shape{2, 100}));
}

std::string Refusal(std::string_view name, const ZooOptions& options) {
  try {
    BuildZoo(name, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "none";
}

int64_t Multiplications(const relay::IRModule& module) {
  int64_t total = 0;
  relay::PostOrderVisit(relay::InferType(module).main->body, [&](const relay::ExprPtr& expr) {
    const relay::Call* call = relay::AsCallTo(expr, "nn.conv2d");
    if (call == nullptr) return;
    const Shape& weight = call->args[1]->type->shape;
    total += ElementCount(call->type->shape) * weight[1] * weight[2] * weight[3];
  });
  return total;
}

// Millions of multiplications in convolutions, from the papers' tables or added up by hand.
TEST(Zoo, NetworksHaveTheSizesOfTheirPapers) {
  EXPECT_NEAR(Multiplications(BuildZoo("googlenet")) / 1e6, 1582, 2);
  EXPECT_NEAR(Multiplications(BuildZoo("densenet-121")) / 1e6, 2833, 2);
  EXPECT_NEAR(Multiplications(BuildZoo("shufflenet")) / 1e6, 137, 2);
  EXPECT_NEAR(Multiplications(BuildZoo("inception_v2")) / 1e6, 2018, 2);
  EXPECT_NEAR(Multiplications(BuildZoo("inception_v3")) / 1e6, 5711, 10);
  EXPECT_NEAR(Multiplications(BuildZoo("squeezenet_v1.1")) / 1e6, 352, 5);
  EXPECT_NEAR(Multiplications(BuildZoo("darknet")) / 1e6, 2790, 10);
}

TEST(Zoo, RefusesImagesThatDcganCannotMake) { EXPECT_THROW(BuildZoo("dcgan", {.image_shape = {3, 60, 64}}), Error); }

TEST(Zoo, ResnetParametersKeepTheirOrder) {
  const std::vector<std::string> names = ParamNames(BuildZoo("resnet-18", kSmall));
  EXPECT_EQ(names[1], "bn_data_gamma");
  EXPECT_EQ(names[5], "conv0_weight");
  EXPECT_EQ(names[6], "stage1_unit1_bn1_gamma");
  EXPECT_EQ(names[10], "stage1_unit1_conv1_weight");
  EXPECT_EQ(names[15], "stage1_unit1_conv2_weight");
  EXPECT_EQ(names[16], "stage1_unit1_sc_weight");
  EXPECT_EQ(names.back(), "fc1_bias");
}

TEST(Zoo, Resnet3dIsWrittenAsTvmWritesIt) {
  const relay::IRModule module = BuildZoo("resnet_3d-18");
  const std::string text = relay::ToText(module);
  EXPECT_THAT(text, HasSubstr("%data: Tensor[(1, 3, 16, 112, 112), float32], %bn_data_gamma"));
  EXPECT_THAT(text,
              HasSubstr("nn.conv3d(%1, %conv0_weight, strides=[1, 2, 2], padding=[1, 3, 3, 1, 3, 3], channels=64, "
                        "kernel_size=[3, 7, 7]);"));
  EXPECT_THAT(text, HasSubstr("%stage2_unit1_sc_weight, strides=[2, 2, 2], padding=[0, 0, 0, 0, 0, 0], channels=128, "
                              "kernel_size=[1, 1, 1]);"));
  EXPECT_THAT(text, HasSubstr("nn.global_avg_pool3d("));
  EXPECT_THAT(text, Not(HasSubstr("max_pool3d")));
  std::vector<std::string> names = ParamNames(module), of_images = ParamNames(BuildZoo("resnet-18", kSmall));
  EXPECT_THAT(ParamNames(BuildZoo("resnet_3d-18", {.image_shape = {3, 4, 16, 16}})), testing::ContainerEq(of_images));
  EXPECT_EQ(names[6], "bn0_gamma");
  EXPECT_EQ(ResultShape(module), (Shape{1, 1000}));
}

TEST(Zoo, Resnet3dTakesClips) {
  EXPECT_THAT(
      Refusal("resnet_3d-18", {.image_shape = {3, 112, 112}}),
      HasSubstr("image shape 3x112x112: all must be 1 or more, the image shape is channels,depth,height,width"));
  EXPECT_THAT(Refusal("resnet_3d-18", {.layout = "NHWC"}), HasSubstr("right is NCHW"));
  EXPECT_THAT(Refusal("resnet-18", {.image_shape = {3, 16, 112, 112}}),
              HasSubstr("the image shape is channels,height,width"));
}

// The weight names of convolutions and dense layers, in order.
std::vector<std::string> WeightNames(const relay::IRModule& module) {
  std::vector<std::string> names;
  for (const std::string& name : ParamNames(module)) {
    if (name.ends_with("_weight")) names.push_back(name);
  }
  return names;
}

TEST(Zoo, ParametersHaveTheNamesOfRelayTesting) {
  EXPECT_THAT(ParamNames(BuildZoo("dqn")),
              testing::ElementsAre("data", "conv1_weight", "conv1_bias", "conv2_weight", "conv2_bias", "conv3_weight",
                                   "conv3_bias", "dense1_weight", "dense1_bias", "dense2_weight", "dense2_bias"));
  const std::vector<std::string> dense = WeightNames(BuildZoo("densenet-121", kSmall));
  EXPECT_THAT(dense, testing::SizeIs(121));
  EXPECT_EQ(dense[1], "conv2d_1_0_0_weight");
  EXPECT_THAT(dense,
              testing::IsSupersetOf({"conv_t_0_weight", "conv_t_2_weight", "conv2d_2_3_15_weight", "dense_weight"}));
  const std::vector<std::string> inception = WeightNames(BuildZoo("inception_v3", {.image_shape = {3, 75, 75}}));
  EXPECT_THAT(inception, testing::SizeIs(95));
  EXPECT_THAT(std::vector<std::string>(inception.begin(), inception.begin() + 12),
              testing::ElementsAre("conv_conv1_weight", "conv_1_conv1_weight", "conv_2_conv1_weight",
                                   "conv_3_conv1_weight", "conv_4_conv1_weight", "mixed_conv_conv1_weight",
                                   "mixed_tower_conv_conv1_weight", "mixed_tower_conv_1_conv1_weight",
                                   "mixed_tower_1_conv_conv1_weight", "mixed_tower_1_conv_1_conv1_weight",
                                   "mixed_tower_1_conv_2_conv1_weight", "mixed_tower_2_conv_conv1_weight"));
  EXPECT_THAT(
      std::vector<std::string>(inception.end() - 10, inception.end()),
      testing::ElementsAre("mixed_10_conv_conv1_weight", "mixed_10_tower_conv_conv1_weight",
                           "mixed_10_tower_mixed_conv_conv1_weight", "mixed_10_tower_mixed_conv_1_conv1_weight",
                           "mixed_10_tower_1_conv_conv1_weight", "mixed_10_tower_1_conv_1_conv1_weight",
                           "mixed_10_tower_1_mixed_conv_conv1_weight", "mixed_10_tower_1_mixed_conv_1_conv1_weight",
                           "mixed_10_tower_2_conv_conv1_weight", "fc1_weight"));
  EXPECT_THAT(inception,
              testing::IsSupersetOf({"mixed_3_conv_conv1_weight", "mixed_3_tower_conv_2_conv1_weight",
                                     "mixed_4_tower_1_conv_4_conv1_weight", "mixed_8_tower_conv_1_conv1_weight",
                                     "mixed_8_tower_1_conv_3_conv1_weight"}));
}

TEST(Zoo, WeightsFollowFromSeedAndNameAlone) {
  const auto values = [](uint64_t seed) {
    ZooOptions options = kSmall;
    options.seed = seed;
    const Tensor weight = BuildZoo("mlp", options).params[0].second;
    return std::vector<float>(weight.data<float>(), weight.data<float>() + weight.elements());
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST(Zoo, BatchNormStatisticsAreNotTheIdentity) {
  for (const auto& [name, value] : BuildZoo("mobilenet", kSmall).params) {
    if (name == "conv_block_1_bn_moving_var") {
      for (int64_t i = 0; i < value.elements(); ++i) EXPECT_TRUE(value.At(i) >= 0.5 && value.At(i) < 1.5);
      EXPECT_NE(value.At(0), value.At(1));
    }
    if (name == "conv_block_1_bn_moving_mean") {
      EXPECT_NE(value.At(0), 0);
    }
  }
}

TEST(Zoo, SuggestsTheNameThatWasMeant) {
  try {
    BuildZoo("mobilnet");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoInput);
    EXPECT_THAT(error.what(), HasSubstr("mobilenet"));
  }
}

Tensor ResultFor(const relay::IRModule& module, const Tensor& image) {
  return RunReference(relay::InferType(module), {{"data", image}})[0];
}

// Both layouts of images give the same network.
TEST(Zoo, ChannelsMayComeLast) {
  Tensor image(DType::kFloat32, {2, 3, 40, 36});
  FillTensor(image, Fill::kNormal, 1);
  for (const char* name : {"mobilenet", "mobilenet-0.25", "mobilenet_shallow", "mobilenet_v2", "resnet-18"}) {
    SCOPED_TRACE(name);
    ZooOptions options{.batch = 2, .classes = 10, .image_shape = {3, 40, 36}, .seed = 3};
    const Tensor first = ResultFor(BuildZoo(name, options), image);
    options.image_shape = {40, 36, 3};
    options.layout = "NHWC";
    const relay::IRModule module = BuildZoo(name, options);
    const Tensor last = ResultFor(module, relay::Reordered(image, "NCHW", "NHWC"));
    ASSERT_EQ(last.shape(), first.shape());
    for (int64_t i = 0; i < first.elements(); ++i) EXPECT_NEAR(last.At(i), first.At(i), 1e-6);
    EXPECT_THAT(relay::ToText(module), HasSubstr("layout=\"NHWC\""));
    EXPECT_EQ(relay::ToText(relay::ParseModule(relay::ToText(module), "zoo.relay", {}).module), relay::ToText(module));
  }
}

TEST(Zoo, ChannelsLastIsWrittenAsTvmWritesIt) {
  const std::string text = relay::ToText(BuildZoo("mobilenet", {.layout = "NHWC"}));
  EXPECT_THAT(text, HasSubstr("%data: Tensor[(1, 224, 224, 3), float32]"));
  EXPECT_THAT(text, HasSubstr("%separable_conv_block_1_weight: Tensor[(3, 3, 32, 1), float32]"));
  EXPECT_THAT(text, HasSubstr("channels=32, kernel_size=[3, 3], data_layout=\"NHWC\", kernel_layout=\"HWIO\""));
  EXPECT_THAT(text, HasSubstr("groups=32, channels=32, kernel_size=[3, 3], data_layout=\"NHWC\", "
                              "kernel_layout=\"HWOI\""));
  EXPECT_THAT(text, HasSubstr("%conv_block_1_bn_moving_var, axis=3)"));
  EXPECT_THAT(text, HasSubstr("nn.global_avg_pool2d(%107, layout=\"NHWC\")"));
}

TEST(Zoo, RefusesLayoutsThatANetworkLacks) {
  EXPECT_EQ(Refusal("vgg-11", {.layout = "NHWC"}), "zoo:vgg-11 is given the layout \"NHWC\"; right is NCHW");
  EXPECT_EQ(Refusal("resnet-18", {.layout = "CHWN"}),
            "zoo:resnet-18 is given the layout \"CHWN\"; right is NCHW or NHWC");
  EXPECT_THAT(Refusal("resnet-18", {.image_shape = {0, 3, 3}, .layout = "NHWC"}),
              HasSubstr("the image shape is height,width,channels"));
}

TEST(Zoo, RefusesImagesThatCannotBe) {
  EXPECT_THROW(BuildZoo("lstm", {.image_shape = {2, 4, 4}}), Error);
  EXPECT_THROW(BuildZoo("mlp", {.image_shape = {3, 0, 4}}), Error);
  EXPECT_THROW(BuildZoo("mlp", {.batch = 0}), Error);
  EXPECT_THROW(BuildZoo("mlp", {.classes = -1}), Error);
  // Five halvings leave no pixels.
  EXPECT_THROW(BuildZoo("vgg-11", {.image_shape = {3, 8, 8}}), Error);
}

}  // namespace
}  // namespace hone
