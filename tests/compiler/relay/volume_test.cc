// Operators over depth, height and width, compared with their definitions in plain loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "compiler/relay/function.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/text/parser.h"
#include "core/random.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct VolumeWindow {
  Ints kernel, strides, dilation, padding;

  Ints Results(const Shape& data, bool ceil_mode) const {
    Ints results;
    for (size_t i = 0; i < 3; ++i) {
      const int64_t room = data[2 + i] + padding[i] + padding[3 + i] - (kernel[i] - 1) * dilation[i] - 1;
      int64_t count = (ceil_mode ? (room + strides[i] - 1) / strides[i] : room / strides[i]) + 1;
      if (ceil_mode && (count - 1) * strides[i] >= data[2 + i] + padding[i]) --count;
      results.push_back(count);
    }
    return results;
  }
  Attrs With(const char* size) const {
    return {{size, kernel}, {"strides", strides}, {"dilation", dilation}, {"padding", padding}};
  }
};

// A window that fits data of at least 3 along each axis.
VolumeWindow Drawn(Random& random) {
  VolumeWindow window;
  const auto between = [&random](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random.Below(static_cast<uint64_t>(high - low + 1)));
  };
  for (int i = 0; i < 3; ++i) {
    window.kernel.push_back(between(1, 3));
    window.strides.push_back(between(1, 3));
    window.dilation.push_back(window.kernel.back() == 2 ? between(1, 2) : 1);
  }
  for (size_t i = 0; i < 6; ++i) window.padding.push_back(between(0, window.kernel[i % 3] - 1));
  return window;
}

// Calls take(tap, place) for each tap in the window of a result, with its place (d, h, w) in the data.
void ForTaps(const VolumeWindow& w, const Ints& result, const std::function<void(const Ints&, const Ints&)>& take) {
  for (int64_t tap = 0; tap < ElementCount(w.kernel); ++tap) {
    const Ints at{tap / (w.kernel[1] * w.kernel[2]), tap / w.kernel[2] % w.kernel[1], tap % w.kernel[2]};
    Ints place;
    for (size_t i = 0; i < 3; ++i) place.push_back(result[i] * w.strides[i] - w.padding[i] + at[i] * w.dilation[i]);
    take(at, place);
  }
}

bool IsInside(const Shape& data, const Ints& place) {
  for (size_t i = 0; i < 3; ++i) {
    if (place[i] < 0 || place[i] >= data[2 + i]) return false;
  }
  return true;
}

int64_t OffsetOf(const Shape& shape, const Ints& index) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + index[d];
  return offset;
}

Ints IndexOf(const Shape& shape, int64_t offset) {
  Ints index(shape.size());
  for (size_t d = shape.size(); d-- > 0; offset /= shape[d]) index[d] = offset % shape[d];
  return index;
}

std::vector<double> ConvWrittenOut(const Tensor& data, const Tensor& weight, const VolumeWindow& w, int64_t groups) {
  const Ints space = w.Results(data.shape(), false);
  const Shape out{data.shape()[0], weight.shape()[0], space[0], space[1], space[2]};
  std::vector<double> results;
  for (int64_t i = 0; i < ElementCount(out); ++i) {
    const Ints at = IndexOf(out, i);
    const int64_t first = at[1] / (out[1] / groups) * weight.shape()[1];
    double sum = 0;
    ForTaps(w, {at[2], at[3], at[4]}, [&](const Ints& tap, const Ints& place) {
      for (int64_t c = 0; IsInside(data.shape(), place) && c < weight.shape()[1]; ++c) {
        sum += data.At(OffsetOf(data.shape(), {at[0], first + c, place[0], place[1], place[2]})) *
               weight.At(OffsetOf(weight.shape(), {at[1], c, tap[0], tap[1], tap[2]}));
      }
    });
    results.push_back(sum);
  }
  return results;
}

Tensor Normal(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kNormal, seed);
  return tensor;
}

TEST(Conv3d, IsWhatItsDefinitionSays) {
  Random random(7);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const VolumeWindow window = Drawn(random);
    const auto draw = [&random](uint64_t most) { return 1 + static_cast<int64_t>(random.Below(most)); };
    const int64_t groups = draw(3), in = draw(3), out = draw(3);
    const Tensor data = Normal({draw(2), groups * in, 2 + draw(4), 2 + draw(5), 2 + draw(6)}, seed);
    Shape kernel{groups * out, in};
    kernel.insert(kernel.end(), window.kernel.begin(), window.kernel.end());
    const Tensor weight = Normal(kernel, seed + 1000);
    Attrs attrs = window.With("kernel_size");
    attrs.Set("groups", groups);
    attrs.Set("channels", groups * out);
    EXPECT_THAT(RunFor("nn.conv3d", {data, weight}, attrs), Near(ConvWrittenOut(data, weight, window, groups))) << seed;
  }
}

TEST(Conv3d, OfOnePlaneIsConv2d) {
  const Tensor data = Saw({2, 4, 6, 5}, 7, 3), weight = Saw({6, 2, 3, 2}, 5, 2);
  const Attrs flat{{"groups", int64_t{2}}, {"strides", Ints{2, 1}}, {"padding", Ints{1, 0, 2, 1}}};
  const Attrs deep{{"groups", int64_t{2}}, {"strides", Ints{1, 2, 1}}, {"padding", Ints{0, 1, 0, 0, 2, 1}}};
  EXPECT_EQ(RunFor("nn.conv3d", {data.Reshaped({2, 4, 1, 6, 5}), weight.Reshaped({6, 2, 1, 3, 2})}, deep),
            RunFor("nn.conv2d", {data, weight}, flat));
}

TEST(Conv3d, FillsTheWeightAndExpandsThePadding) {
  const Attrs attrs{
      {"channels", int64_t{8}}, {"kernel_size", Ints{3, 5, 1}}, {"groups", int64_t{2}}, {"padding", Ints{1, 2, 0}}};
  const FunctionPtr filled = CallFunction("nn.conv3d", {TensorType({1, 4, 6, kAnyDim, 6}), nullptr}, attrs);
  EXPECT_EQ(ToText(filled->params[1]->type), "Tensor[(8, 2, 3, 5, 1), float32]");
  EXPECT_EQ(ToText(filled->body->type), "Tensor[(1, 8, 6, ?, 6), float32]");
  EXPECT_EQ(AsCall(filled->body)->attrs.GetInts("padding"), (Ints{1, 2, 0, 1, 2, 0}));
  const FunctionPtr one =
      CallFunction("nn.max_pool3d", {TensorType({1, 4, 6, 6, 6})},
                   {{"pool_size", Ints{2, 2, 2}}, {"strides", int64_t{2}}, {"padding", int64_t{1}}});
  EXPECT_EQ(AsCall(one->body)->attrs.GetInts("padding"), Ints(6, 1));
  EXPECT_EQ(ToText(one->body->type), "Tensor[(1, 4, 4, 4, 4), float32]");
}

TEST(Conv3d, SaysWhatDoesNotFit) {
  const auto with = [](const Shape& data, const Shape& weight, const Attrs& attrs = {}) {
    return ResultType("nn.conv3d", {TensorType(data), TensorType(weight)}, attrs);
  };
  EXPECT_THAT(with({1, 3, 8, 8}, {4, 3, 3, 3, 3}), HasSubstr("it must have 5 dims"));
  EXPECT_THAT(with({1, 3, 8, 8, 8}, {4, 2, 3, 3, 3}), HasSubstr("data has 3 channels, weight takes 2"));
  EXPECT_THAT(with({1, 3, 2, 8, 8}, {4, 3, 3, 3, 3}), HasSubstr("a kernel that reaches 3 does not fit in 2"));
  EXPECT_THAT(with({1, 3, 8, 8, 8}, {4, 3, 3, 3, 3}, {{"kernel_size", Ints{3, 3, 1}}}),
              HasSubstr("kernel_size = [3, 3, 1], weight has 3x3x3"));
  EXPECT_THAT(with({1, 3, 8, 8, 8}, {4, 3, 3, 3, 3}, {{"padding", Ints{1, 1, 1, 1}}}),
              HasSubstr("padding = [1, 1, 1, 1] must have 6 numbers"));
  EXPECT_THAT(ResultType("nn.conv3d", {TensorType({1, 3, 8, 8, 8}, DType::kInt8), TensorType({4, 3, 3, 3, 3})}),
              HasSubstr("it must be float32"));
}

struct Folded {
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  int64_t inside = 0, padded = 0;
};

std::vector<Folded> Folds(const Tensor& data, const VolumeWindow& w, bool ceil_mode) {
  const Ints space = w.Results(data.shape(), ceil_mode);
  const Shape out{data.shape()[0], data.shape()[1], space[0], space[1], space[2]};
  std::vector<Folded> all(static_cast<size_t>(ElementCount(out)));
  for (size_t i = 0; i < all.size(); ++i) {
    const Ints at = IndexOf(out, static_cast<int64_t>(i));
    ForTaps(w, {at[2], at[3], at[4]}, [&](const Ints&, const Ints& place) {
      bool padded = true;
      for (size_t d = 0; d < 3; ++d) padded = padded && place[d] < data.shape()[2 + d] + w.padding[3 + d];
      all[i].padded += padded;
      if (!IsInside(data.shape(), place)) return;
      const double x = data.At(OffsetOf(data.shape(), {at[0], at[1], place[0], place[1], place[2]}));
      all[i].sum += x;
      all[i].largest = std::max(all[i].largest, x);
      ++all[i].inside;
    });
  }
  return all;
}

TEST(Pools3d, AreWhatTheirDefinitionsSay) {
  Random random(11);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const VolumeWindow window = Drawn(random);
    const auto draw = [&random](uint64_t most) { return 1 + static_cast<int64_t>(random.Below(most)); };
    const Tensor data = Normal({draw(2), draw(3), 2 + draw(4), 2 + draw(5), 2 + draw(6)}, seed);
    const bool ceil_mode = seed % 3 == 0, counts = seed % 2 == 0;
    std::vector<double> largest, means;
    for (const Folded& folded : Folds(data, window, ceil_mode)) {
      const int64_t count = counts ? folded.padded : folded.inside;
      largest.push_back(folded.largest);
      means.push_back(count == 0 ? 0 : folded.sum / static_cast<double>(count));
    }
    Attrs attrs = window.With("pool_size");
    attrs.Set("ceil_mode", ceil_mode);
    EXPECT_THAT(RunFor("nn.max_pool3d", {data}, attrs), Near(largest)) << seed;
    attrs.Set("count_include_pad", counts);
    EXPECT_THAT(RunFor("nn.avg_pool3d", {data}, attrs), Near(means)) << seed;
  }
}

TEST(Pools3d, OfAWholeVolumeAreItsMean) {
  EXPECT_THAT(RunFor("nn.global_avg_pool3d", {Floats({1, 2, 2, 1, 2}, {1, 4, -3, 0, 8, 8, 8, 9})}),
              ElementsAre(0.5, 8.25));
  EXPECT_EQ(ResultType("nn.global_avg_pool3d", {TensorType({kAnyDim, 7, 4, kAnyDim, 2})}),
            "Tensor[(?, 7, 1, 1, 1), float32]");
}

TEST(Pools3d, SayWhatDoesNotFit) {
  const TypePtr data = TensorType({1, 1, 2, 4, 4});
  EXPECT_THAT(ResultType("nn.avg_pool3d", {data}, {{"pool_size", Ints{3, 3, 3}}}),
              HasSubstr("a window of 3 does not fit in 2"));
  EXPECT_THAT(ResultType("nn.max_pool3d", {data}, {{"pool_size", Ints{2, 2}}}), HasSubstr("must have 3 numbers"));
  EXPECT_THAT(ResultType("nn.global_avg_pool3d", {TensorType({1, 1, 4, 4})}), HasSubstr("it must have 5 dims"));
}

TEST(Volumes, AreReadAsTheyArePrinted) {
  const ExprPtr x = MakeVar("x", TensorType({1, 2, 6, 6, 6})), w = MakeVar("w", TensorType({4, 2, 3, 3, 3}));
  const ExprPtr conv = MakeCall("nn.conv3d", {x, w}, {{"padding", Ints{1, 0, 1}}, {"strides", int64_t{2}}});
  const ExprPtr pooled = MakeCall("nn.avg_pool3d", {MakeCall("nn.max_pool3d", {conv}, {{"pool_size", Ints{1, 2, 1}}})},
                                  {{"pool_size", Ints{2, 1, 1}}, {"count_include_pad", true}});
  IRModule module;
  module.main = MakeFunction(MakeCall("nn.global_avg_pool3d", {pooled}));
  const std::string text = ToText(module);
  EXPECT_THAT(text, HasSubstr("nn.conv3d(%x, %w, strides=[2, 2, 2], padding=[1, 0, 1, 1, 0, 1]);"));
  EXPECT_THAT(text, HasSubstr("nn.avg_pool3d(%1, pool_size=[2, 1, 1], padding=[0, 0, 0, 0, 0, 0], "
                              "count_include_pad=True);"));
  EXPECT_EQ(ToText(ParseModule(text, "volumes.relay", {}).module), text);
  EXPECT_EQ(ToText(InferParsed(ParseModule("fn (%x: Tensor[(1, 1, 4, 4, 4), float32]) { nn.max_pool3d(%x, "
                                           "pool_size=[2, 2, 2], padding=[1, 0, 0]) }",
                                           "", {}))
                       .main->body->type),
            "Tensor[(1, 1, 5, 3, 3), float32]");
}

}  // namespace
}  // namespace hone::relay
