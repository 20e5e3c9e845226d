#include "compiler/frontend/zoo/zoo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "compiler/frontend/zoo/zoo_networks.h"
#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

struct Network {
  ZooEntry entry;
  std::function<relay::IRModule(const ZooOptions&)> build;
  Shape image_shape = {3, 224, 224};
  int64_t classes = 1000;
  bool either_layout = false;  // also supports NHWC
};

std::function<relay::IRModule(const ZooOptions&)> OfDepth(relay::IRModule (*build)(const ZooOptions&, int),
                                                          int layers) {
  return [build, layers](const ZooOptions& options) { return build(options, layers); };
}

Network InEitherLayout(Network network) {
  network.either_layout = true;
  return network;
}

const std::vector<Network>& Networks() {
  const Shape clip{3, 16, 112, 112};
  static const std::vector<Network> networks = {
      {{"alexnet", "AlexNet: 5 convolutions, some in two groups, LRN, 3 dense layers"}, BuildAlexnet},
      {{"darknet", "Darknet-19: 19 convolutions with leaky activations"}, BuildDarknet},
      {{"dcgan", "DCGAN's generator: 4 transposed convolutions, 64x64 images"}, BuildDcgan, {3, 64, 64}},
      {{"densenet-121", "DenseNet: 58 layers that each see all before them"}, OfDepth(BuildDensenet, 121)},
      {{"densenet-161", "DenseNet: 78 layers that each add 48 channels"}, OfDepth(BuildDensenet, 161)},
      {{"densenet-169", "DenseNet: 82 layers that each see all before them"}, OfDepth(BuildDensenet, 169)},
      {{"densenet-201", "DenseNet: 98 layers that each see all before them"}, OfDepth(BuildDensenet, 201)},
      {{"dqn", "deep Q network: 3 convolutions, 2 dense layers, 84x84 images"}, BuildDqn, {4, 84, 84}, 18},
      {{"googlenet", "GoogLeNet (Inception v1): 9 inception modules, LRN"}, BuildGooglenet},
      {{"inception_v2", "BN-Inception: 10 inception modules"}, BuildInceptionV2},
      {{"inception_v3", "Inception v3: 11 modules with strips, 299x299 images"}, BuildInceptionV3, {3, 299, 299}},
      {{"lstm", "LSTM cells, a step after the other: 4 of 32 units"}, BuildLstm, {1, 4, 32}},
      {{"mlp", "three dense layers: 128, 64 and the classes, images of 1x28x28"}, BuildMlp, {1, 28, 28}, 10},
      InEitherLayout({{"mobilenet", "MobileNet v1: 13 depthwise and pointwise pairs"}, BuildMobilenet}),
      InEitherLayout(
          {{"mobilenet-0.25", "MobileNet v1 with a quarter of its channels"}, OfDepth(BuildNarrowMobilenet, 25)}),
      InEitherLayout({{"mobilenet-0.5", "MobileNet v1 with half of its channels"}, OfDepth(BuildNarrowMobilenet, 50)}),
      InEitherLayout(
          {{"mobilenet-0.75", "MobileNet v1 with three quarters of its channels"}, OfDepth(BuildNarrowMobilenet, 75)}),
      InEitherLayout({{"mobilenet_shallow", "MobileNet v1 of 8 depthwise and pointwise pairs"}, BuildShallowMobilenet}),
      InEitherLayout(
          {{"mobilenet_v2", "MobileNet v2: 17 inverted residuals with clipped activations"}, BuildMobilenetV2}),
      InEitherLayout({{"resnet-18", "ResNet v2 (pre-activation), 8 basic units"}, OfDepth(BuildResnet, 18)}),
      InEitherLayout({{"resnet-34", "ResNet v2 (pre-activation), 16 basic units"}, OfDepth(BuildResnet, 34)}),
      InEitherLayout({{"resnet-50", "ResNet v2 (pre-activation), 16 bottlenecks"}, OfDepth(BuildResnet, 50)}),
      InEitherLayout({{"resnet-101", "ResNet v2 (pre-activation), 33 bottlenecks"}, OfDepth(BuildResnet, 101)}),
      InEitherLayout({{"resnet-152", "ResNet v2 (pre-activation), 50 bottlenecks"}, OfDepth(BuildResnet, 152)}),
      InEitherLayout({{"resnet-200", "ResNet v2 (pre-activation), 66 bottlenecks"}, OfDepth(BuildResnet, 200)}),
      InEitherLayout({{"resnet-269", "ResNet v2 (pre-activation), 89 bottlenecks"}, OfDepth(BuildResnet, 269)}),
      {{"resnet_3d-18", "ResNet v2 over clips of 16 images, 8 basic units"}, OfDepth(BuildResnet3d, 18), clip},
      {{"resnet_3d-34", "ResNet v2 over clips of 16 images, 16 basic units"}, OfDepth(BuildResnet3d, 34), clip},
      {{"resnet_3d-50", "ResNet v2 over clips of 16 images, 16 bottlenecks"}, OfDepth(BuildResnet3d, 50), clip},
      {{"resnet_3d-101", "ResNet v2 over clips of 16 images, 33 bottlenecks"}, OfDepth(BuildResnet3d, 101), clip},
      {{"resnet_3d-152", "ResNet v2 over clips of 16 images, 50 bottlenecks"}, OfDepth(BuildResnet3d, 152), clip},
      {{"resnet_3d-200", "ResNet v2 over clips of 16 images, 66 bottlenecks"}, OfDepth(BuildResnet3d, 200), clip},
      {{"resnet_3d-269", "ResNet v2 over clips of 16 images, 89 bottlenecks"}, OfDepth(BuildResnet3d, 269), clip},
      {{"shufflenet", "ShuffleNet v1: 16 units of 3 groups with channel shuffles"}, BuildShufflenet},
      {{"squeezenet", "SqueezeNet 1.0: 8 fire modules"}, BuildSqueezenet},
      {{"squeezenet_v1.1", "SqueezeNet 1.1: 8 fire modules, pooled earlier"}, BuildSqueezenet11},
      {{"synthetic", "two dense layers beside two convolutions, images of 3x24x12"}, BuildSynthetic, {3, 24, 12}},
      {{"vgg-11", "VGG: 8 convolutions, 3 dense layers"}, OfDepth(BuildVgg, 11)},
      {{"vgg-11_bn", "VGG: 8 convolutions with batch norms, 3 dense layers"}, OfDepth(BuildVggBn, 11)},
      {{"vgg-13", "VGG: 10 convolutions, 3 dense layers"}, OfDepth(BuildVgg, 13)},
      {{"vgg-13_bn", "VGG: 10 convolutions with batch norms, 3 dense layers"}, OfDepth(BuildVggBn, 13)},
      {{"vgg-16", "VGG: 13 convolutions, 3 dense layers"}, OfDepth(BuildVgg, 16)},
      {{"vgg-16_bn", "VGG: 13 convolutions with batch norms, 3 dense layers"}, OfDepth(BuildVggBn, 16)},
      {{"vgg-19", "VGG: 16 convolutions, 3 dense layers"}, OfDepth(BuildVgg, 19)},
      {{"vgg-19_bn", "VGG: 16 convolutions with batch norms, 3 dense layers"}, OfDepth(BuildVggBn, 19)},
      {{"zfnet512", "ZFNet: 5 convolutions, LRN, 3 dense layers"}, BuildZfnet512},
  };
  return networks;
}

std::vector<ZooEntry> ListEntries() {
  std::vector<ZooEntry> entries;
  for (const Network& network : Networks()) entries.push_back(network.entry);
  return entries;
}

void CheckLayout(const Network& network, const std::string& layout) {
  if (layout == "NCHW" || (layout == "NHWC" && network.either_layout)) return;
  throw Error(ExitCode::kUsage, fmt::format("zoo:{} is given the layout \"{}\"; right is NCHW{}", network.entry.name,
                                            layout, network.either_layout ? " or NHWC" : ""));
}

const char* AxesOf(const Network& network, const std::string& layout) {
  if (network.image_shape.size() == 4) return "channels,depth,height,width";
  return layout == "NHWC" ? "height,width,channels" : "channels,height,width";
}

void CheckNumbers(const Network& network, const ZooOptions& options) {
  const Shape& image = options.image_shape;
  bool fits = image.size() == network.image_shape.size() && options.batch >= 1 && options.classes >= 1;
  for (const int64_t dim : image) fits = fits && dim >= 1;
  if (fits) return;
  throw Error(ExitCode::kUsage,
              fmt::format("batch {}, {} classes, image shape {}: all must be 1 or more, the image "
                          "shape is {}",
                          options.batch, options.classes, ShapeText(image), AxesOf(network, options.layout)));
}

ZooOptions Completed(const Network& network, ZooOptions options) {
  CheckLayout(network, options.layout);
  if (options.image_shape.empty()) {
    options.image_shape = network.image_shape;
    const auto channels = options.image_shape.begin();
    if (options.layout == "NHWC") std::rotate(channels, channels + 1, options.image_shape.end());
  }
  if (options.classes == 0) options.classes = network.classes;
  CheckNumbers(network, options);
  return options;
}

// "; there are resnet-18, resnet-34 and others" for "resnet"; empty if no name begins so.
std::string OfThatKind(std::string_view name, std::vector<std::string> names) {
  constexpr size_t kMostNamed = 3;
  std::erase_if(names, [name](const std::string& one) { return name.size() < 3 || !one.starts_with(name); });
  if (names.empty()) return "";
  const bool has_others = names.size() > kMostNamed;
  if (has_others) names.resize(kMostNamed);
  return fmt::format("; there {} {}{}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "),
                     has_others ? " and others" : "");
}

}  // namespace

const std::vector<ZooEntry>& ZooEntries() {
  static const std::vector<ZooEntry> entries = ListEntries();
  return entries;
}

relay::IRModule BuildZoo(std::string_view name, const ZooOptions& options) {
  std::vector<std::string> names;
  for (const Network& network : Networks()) {
    names.push_back(network.entry.name);
    if (network.entry.name != name) continue;
    relay::IRModule module = network.build(Completed(network, options));
    module.name = fmt::format("zoo:{}", name);
    return module;
  }
  std::string near = DidYouMean(name, names);
  if (near.empty()) near = OfThatKind(name, names);
  throw Error(ExitCode::kNoInput, fmt::format("the zoo has no network \"{}\"{}", name,
                                              near.empty() ? "; `hone zoo` lists those that it has" : near));
}

}  // namespace hone
