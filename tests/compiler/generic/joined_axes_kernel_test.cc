// Kernels whose rows are several axes as one, with operands that begin anywhere in a cache line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

ExprPtr Slice(const ExprPtr& x, const Ints& begin, const Ints& end, const Ints& strides) {
  return MakeCall("strided_slice", {x}, {{"begin", begin}, {"end", end}, {"strides", strides}});
}
ExprPtr Pad(const ExprPtr& x, const Ints& width, const std::string& mode = "constant") {
  return MakeCall("nn.pad", {x}, {{"pad_width", width}, {"pad_mode", mode}, {"pad_value", 2.0}});
}
ExprPtr Concat(const std::vector<ExprPtr>& fields, int64_t axis) {
  return MakeCall("concatenate", {relay::MakeTuple(fields)}, {{"axis", axis}});
}
ExprPtr Take(const ExprPtr& x, const Tensor& indices, int64_t axis) {
  return MakeCall("take", {x, relay::MakeConstant(indices)}, {{"axis", axis}});
}

// The number of work items of the function's kernel.
int64_t ItemsOf(const relay::FunctionPtr& function) { return CompiledFunction(function, TestTargets()[0]).extent(); }

TEST(JoinedAxes, OfConcatenations) {
  for (const DType dtype : {DType::kFloat32, DType::kUInt8, DType::kInt64}) {
    for (const int64_t axis : {0, 1, 2, 3}) {
      Shape first{3, 5, 12, 14}, second = first;
      first[static_cast<size_t>(axis)] = 2;
      const auto a = Param("a", first, "", dtype), b = Param("b", second, "", dtype);
      CheckFunction(Function({a, b}, Concat({a, b, a}, axis)));
      // A field that begins and ends within an image.
      CheckFunction(Function({a, b}, Slice(Concat({a, b, a}, axis), {0, 0, 1, 0}, {3, 5, 11, 14}, {1, 1, 1, 1})));
    }
  }
  const auto a = Param("a", {2, 6, 20, 30}), b = Param("b", {2, 3, 20, 30}), bias = Param("c", {9, 1, 1});
  const auto row = Param("d", {1, 1, 20, 30});
  CheckFunction(Function({a, b, bias}, MakeCall("add", {Concat({a, b}, 1), bias})));
  CheckFunction(Function({a, b, row}, MakeCall("nn.relu", {MakeCall("multiply", {Concat({a, b}, 1), row})})));
}

TEST(JoinedAxes, OfSlices) {
  const auto x = Param("x", {3, 8, 16, 18});
  CheckFunction(Function({x}, Slice(x, {0, 2, 0, 0}, {3, 7, 16, 18}, {1, 1, 1, 1})));
  CheckFunction(Function({x}, Slice(x, {1, 2, 0, 0}, {3, 7, 16, 18}, {1, 1, 1, 1})));
  CheckFunction(Function({x}, Slice(x, {0, 0, 3, 0}, {3, 8, 16, 18}, {1, 1, 1, 1})));
  CheckFunction(Function({x}, Slice(x, {0, 0, 0, 1}, {3, 8, 16, 17}, {1, 1, 1, 1})));
  CheckFunction(Function({x}, Slice(x, {0, 7, 0, 0}, {3, 0, 16, 18}, {1, -1, 1, 1})));
  CheckFunction(Function({x}, Slice(x, {2, 0, 15, 0}, {0, 8, 2, 18}, {-1, 2, -3, 1})));
  const auto half = Slice(x, {0, 4, 0, 0}, {3, 8, 16, 18}, {1, 1, 1, 1});
  CheckFunction(Function({x}, MakeCall("add", {half, Slice(half, {0, 1, 0, 0}, {3, 2, 16, 18}, {1, 1, 1, 1})})));
}

TEST(JoinedAxes, OfPadsSplitsAndTakes) {
  const auto x = Param("x", {3, 8, 16, 18});
  for (const Ints& width : {Ints{0, 0, 1, 2, 0, 0, 0, 0}, Ints{0, 0, 0, 0, 2, 1, 0, 0}, Ints{1, 0, 0, 3, 0, 0, 0, 0},
                            Ints{0, 0, 1, 0, 1, 1, 0, 0}, Ints{0, 0, 0, 0, 0, 0, 1, 1}}) {
    for (const char* mode : {"constant", "edge", "reflect"}) CheckFunction(Function({x}, Pad(x, width, mode)));
    CheckFunction(Function({x}, MakeCall("exp", {Pad(Slice(x, {0, 2, 0, 0}, {3, 7, 16, 18}, {1, 1, 1, 1}), width)})));
  }
  for (const int64_t axis : {0, 1, 2, 3}) {
    const Ints parts = axis == 0 ? Ints{1} : Ints{2, 5};
    CheckFunction(Function({x}, MakeCall("split", {x}, {{"indices_or_sections", parts}, {"axis", axis}})));
    CheckFunction(Function({x}, Take(x, Tensor::FromVector<int64_t>(DType::kInt64, {2, 2}, {2, 0, 1, 1}), axis)));
  }
}

// Long rows make few items: an image of 64 channels is copied as one run of memory, not in rows of 56.
TEST(JoinedAxes, MakeOneRowOfAnImage) {
  const auto x = Param("x", {1, 64, 56, 56}), y = Param("y", {1, 64, 56, 56});
  const auto half = Slice(x, {0, 32, 0, 0}, {1, 64, 56, 56}, {1, 1, 1, 1});
  const int64_t items = ItemsOf(Function({x, y}, MakeCall("add", {x, y})));
  EXPECT_EQ(ItemsOf(Function({x, y}, Concat({x, y}, 1))), 2 * items);
  EXPECT_EQ(ItemsOf(Function({x}, half)), (items + 1) / 2);
}

TEST(JoinedAxes, OfRandomMoves) {
  Random random(11);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random.Below(static_cast<uint64_t>(n))); };
  for (int round = 0; round < 40; ++round) {
    Shape shape;
    for (int d = 0; d < 4; ++d) shape.push_back(below(4) == 0 ? 1 : 2 + below(d == 3 ? 40 : 9));
    const auto x = Param("x", shape);
    ExprPtr value = x;
    for (int step = 0; step < 3; ++step) {
      const int64_t axis = below(4);
      const int64_t extent = Function({x}, value)->body->type->shape[static_cast<size_t>(axis)];
      Ints width(8, 0), begin(4, 0), end(4, 1 << 20), strides(4, 1);
      switch (below(4)) {
        case 0:
          width[static_cast<size_t>(2 * axis + below(2))] = 1 + below(3);
          value = Pad(value, width);
          break;
        case 1:
          begin[static_cast<size_t>(axis)] = below(extent);
          value = Slice(value, begin, end, strides);
          break;
        case 2:
          value = Concat({value, value}, axis);
          break;
        default:
          value = MakeCall("negative", {value});
      }
    }
    CheckFunction(Function({x}, value));
  }
}

}  // namespace
}  // namespace hone::testing
