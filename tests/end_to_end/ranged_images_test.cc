// Convolutions and pools of images whose height and width a run chooses: they end with its rows and columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr int64_t kMostRows = 40, kMostColumns = 56, kLeast = 3;

std::vector<float> FilterWeights(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.Uniform() - 0.5));
  return values;
}

struct Layer {
  std::string op = "Conv";
  int64_t outputs = 0, size = 3, stride = 1, groups = 1, padding = 1;
};

// The layers in a row, behind an input of so many channels.
relay::IRModule LayersOf(int64_t channels, const std::vector<Layer>& layers) {
  ModelMaker model(22);
  model.Input("x", {1, channels, -1, -1});
  std::string x = "x";
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const std::string number = std::to_string(i), y = "y" + number;
    std::vector<std::pair<std::string, TestAttribute>> attributes{
        {"strides", std::vector<int64_t>{layer.stride, layer.stride}},
        {"pads", std::vector<int64_t>(4, layer.padding)}};
    if (layer.op == "Conv") {
      const Shape shape{layer.outputs, channels / layer.groups, layer.size, layer.size};
      model.Weight("w" + number, shape, FilterWeights(ElementCount(shape), i));
      attributes.emplace_back("group", layer.groups);
      model.Node("Conv", {x, "w" + number}, {"c" + number}, attributes).Node("Relu", {"c" + number}, {y});
      channels = layer.outputs;
    } else {
      attributes.emplace_back("kernel_shape", std::vector<int64_t>{layer.size, layer.size});
      model.Node(layer.op, {x}, {y}, attributes);
    }
    x = y;
  }
  OnnxImportOptions options;
  options.ranges["d2"] = {kLeast, kMostRows};
  options.ranges["d3"] = {kLeast, kMostColumns};
  return relay::InferType(ImportOnnxBytes(model.Output(x).Bytes(), "images", options).module);
}

Tensor Image(int64_t channels, int64_t rows, int64_t columns, double scale) {
  Random random(7);
  Tensor image(DType::kFloat32, {1, channels, rows, columns});
  for (int64_t i = 0; i < image.elements(); ++i) image.Set(i, scale * (random.Uniform() - 0.5));
  return image;
}

// The most axes along which a box ends.
int EndedAxes(const std::vector<ItemBox>& boxes) {
  int most = 0;
  for (const ItemBox& box : boxes) {
    int limited = 0;
    for (const ItemAxis& axis : box.axes) limited += axis.extent >= 0 ? 1 : 0;
    most = std::max(most, limited);
  }
  return most;
}

// Expects that each convolution of a small image ends with the run's rows and columns, and the reference's results. The
// kernel of the largest images may do all work.
void ExpectEachSize(int64_t channels, const std::vector<Layer>& layers, double most_error = 1e-5) {
  const relay::IRModule module = LayersOf(channels, layers);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "images");
  for (const PlanCall& call : package->plan().calls) {
    if (call.op == "nn.conv2d") {
      EXPECT_EQ(EndedAxes(call.variants.empty() ? call.boxes : call.variants.front().boxes), 2);
    }
  }
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
             {kLeast, kLeast}, {7, 20}, {kMostRows, 5}, {4, kMostColumns}, {23, 31}, {kMostRows, kMostColumns}}) {
      // A full run of infinities leaves nothing finite that a smaller run may read.
      session.SetInput("x", Image(channels, kMostRows, kMostColumns, std::numeric_limits<double>::infinity()));
      session.Run();
      const Tensor x = Image(channels, rows, columns, 2);
      session.SetInput("x", x);
      session.Run();
      const Tensor want = RunReference(module, {{"x", x}})[0], got = session.Output(0);
      ASSERT_EQ(got.shape(), want.shape());
      for (int64_t i = 0; i < got.elements(); ++i) {
        ASSERT_NEAR(got.At(i), want.At(i), most_error * std::max(1.0, std::abs(want.At(i))))
            << layers[0].op << " at " << rows << " x " << columns << ", element " << i;
      }
    }
  }
}

TEST(RangedImages, ConvolutionsEndWithRowsAndColumns) {
  ExpectEachSize(3, {{.outputs = 16, .size = 3, .stride = 2}});
  ExpectEachSize(32, {{.outputs = 32}}, 1e-4);
  ExpectEachSize(32, {{.outputs = 64, .size = 1, .padding = 0}});
  ExpectEachSize(32, {{.outputs = 64, .size = 1, .stride = 2, .padding = 0}});
  ExpectEachSize(32, {{.outputs = 32, .groups = 32}});
  ExpectEachSize(32, {{.outputs = 32, .size = 5, .stride = 2, .groups = 32, .padding = 2}});
  ExpectEachSize(32, {{.outputs = 2}});
  ExpectEachSize(20, {{.outputs = 20, .size = 1, .padding = 0}});
  ExpectEachSize(24, {{.outputs = 24, .groups = 4}});
}

TEST(RangedImages, PoolsOfEachSize) {
  ExpectEachSize(16, {{.op = "MaxPool", .size = 3, .stride = 2}});
  ExpectEachSize(16, {{.op = "AveragePool", .size = 2, .stride = 2, .padding = 0}});
}

// Positions that a layer reads come from the layer before it, of other strides.
TEST(RangedImages, LayersInARowEndTogether) {
  ExpectEachSize(3,
                 {{.outputs = 32, .size = 7, .stride = 2, .padding = 3},
                  {.op = "MaxPool", .size = 3, .stride = 2},
                  {.outputs = 32, .size = 1, .padding = 0},
                  {.outputs = 32},
                  {.outputs = 64, .size = 1, .stride = 2, .padding = 0},
                  {.outputs = 64, .groups = 64},
                  {.outputs = 8, .size = 1, .padding = 0}},
                 1e-4);
}

}  // namespace
}  // namespace hone
