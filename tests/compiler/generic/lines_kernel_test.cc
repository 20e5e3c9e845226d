// Reductions of short rows and of several axes, and norms of whole lines, against the operators' references.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

// Rows of about a vector's length, and axes that are reduced as one.
TEST(LinesKernel, ReducesShortRowsAndPassesNanOn) {
  for (int64_t width = 1; width < 36; ++width) {
    Tensor value = Filled(*Param("x", {3, 2, width})->type, static_cast<uint64_t>(width));
    value.Set(width * 5 / 2, std::numeric_limits<double>::quiet_NaN());
    const auto x = Param("x", {3, 2, width}), column = Param("y", {2, 1});
    for (const char* op : {"mean", "sum", "max", "min"}) {
      for (const Ints& axes : {Ints{2}, Ints{1, 2}}) {
        CheckFunction(Function({x}, MakeCall(op, {x}, {{"axis", axes}})), {value});
        CheckFunction(Function({x, column}, MakeCall(op, {MakeCall("multiply", {x, column})}, {{"axis", axes}})));
      }
    }
  }
}

ExprPtr KeptMean(const ExprPtr& x, const Ints& axes) {
  return MakeCall("mean", {x}, {{"axis", axes}, {"keepdims", true}});
}

ExprPtr Standardised(const ExprPtr& x, const std::function<ExprPtr(const ExprPtr&)>& mean) {
  const ExprPtr centred = MakeCall("subtract", {x, mean(x)});
  const ExprPtr variance = mean(MakeCall("multiply", {centred, centred}));
  const ExprPtr deviation = MakeCall("sqrt", {MakeCall("add", {variance, relay::MakeConstant(Tensor::Scalar(1e-3F))})});
  return MakeCall("divide", {centred, deviation});
}

TEST(LinesKernel, NormalisesLines) {
  for (const Shape& shape :
       {Shape{2, 3, 5, 37}, Shape{1, 4, 7, 7}, Shape{3, 2, 1, 9}, Shape{2, 3, 4, 1}, Shape{1, 2, 3, 70}}) {
    for (const Ints& axes : {Ints{3}, Ints{2, 3}, Ints{1, 3}, Ints{1, 2, 3}}) {
      if (shape[3] == 1 && axes.size() == 1) continue;
      const auto x = Param("x", shape), scale = Param("s", {shape[1], 1, 1}), shift = Param("b", {shape[3]});
      const ExprPtr norm = Standardised(x, [&](const ExprPtr& data) { return KeptMean(data, axes); });
      CheckFunction(Function({x, scale, shift}, MakeCall("add", {MakeCall("multiply", {norm, scale}), shift})), {},
                    1e-5);
    }
  }
}

// Each line's sums are computed once, rather than for each of its elements.
TEST(LinesKernel, ALineIsAnItem) {
  const auto items = [](const Shape& shape, const Ints& axes, const std::string& layout) {
    const auto x = Param("x", shape, layout);
    const auto pool = [](const ExprPtr& data) { return MakeCall("nn.global_avg_pool2d", {data}); };
    const auto mean = [&](const ExprPtr& data) { return layout.empty() ? KeptMean(data, axes) : pool(data); };
    return CompiledFunction(Function({x}, Standardised(x, mean)), TestTargets().front()).extent();
  };
  EXPECT_EQ(items({2, 3, 5, 37}, {3}, ""), 30);
  EXPECT_EQ(items({2, 3, 5, 37}, {2, 3}, ""), 6);
  EXPECT_EQ(items({2, 3, 5, 37}, {1, 3}, ""), 10);
  EXPECT_EQ(items({2, 3, 5, 37}, {1}, ""), 10) << "a row of lines beside each other";
  EXPECT_EQ(items({2, 37, 5, 7}, {2, 3}, "NCHW16c"), 6) << "a block of channels";
}

TEST(LinesKernel, NormalisesAcrossRows) {
  for (const Shape& shape : {Shape{2, 3, 5, 37}, Shape{1, 40, 1, 5}, Shape{3, 7, 6}, Shape{4, 9, 2, 1}}) {
    for (const Ints& axes : {Ints{1}, Ints{0, 1}}) {
      const auto x = Param("x", shape), shift = Param("b", {shape[0], 1, 1, 1});
      const ExprPtr norm = Standardised(x, [&](const ExprPtr& data) { return KeptMean(data, axes); });
      const bool images = shape.size() == 4;
      const ExprPtr shifted = images ? MakeCall("add", {norm, shift}) : norm;
      CheckFunction(Function(images ? std::vector<ExprPtr>{x, shift} : std::vector<ExprPtr>{x}, shifted), {}, 1e-5);
    }
  }
}

TEST(LinesKernel, DividesByTheLargestMagnitude) {
  const auto x = Param("x", {6, 41});
  const ExprPtr largest = MakeCall("max", {MakeCall("abs", {x})}, {{"axis", Ints{1}}, {"keepdims", true}});
  Tensor value = Filled(*x->type, 3);
  value.Set(50, std::numeric_limits<double>::quiet_NaN());
  CheckFunction(Function({x}, MakeCall("divide", {x, largest})), {value});
}

TEST(LinesKernel, NormalisesChannelsInBlocks) {
  for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
    for (const int64_t channels : {3, 16, 37}) {
      const auto x = Param("x", {2, channels, 5, 7}, layout), scale = Param("s", {channels, 1, 1});
      const ExprPtr norm =
          Standardised(x, [](const ExprPtr& data) { return MakeCall("nn.global_avg_pool2d", {data}); });
      CheckFunction(Function({x, scale}, MakeCall("nn.relu", {MakeCall("multiply", {norm, scale})})), {}, 1e-5);
    }
  }
}

}  // namespace
}  // namespace hone::testing
