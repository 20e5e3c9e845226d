// scatter_elements and scatter_nd as kernels against their references, for every element type and reduction. Positions
// repeat, indices cover only a part of the data, and slices have any length.
#include <gtest/gtest.h>

#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

// Some positions count from the end, and they are few enough to collide.
Tensor Positions(const Shape& shape, int64_t extent, DType dtype = DType::kInt64) {
  Tensor positions(dtype, shape);
  Random random(3);
  for (int64_t i = 0; i < positions.elements(); ++i) {
    const auto at = static_cast<int64_t>(random.Below(static_cast<uint64_t>(extent)));
    positions.Set(i, static_cast<double>(random.Below(3) == 0 ? at - extent : at));
  }
  return positions;
}

relay::FunctionPtr Scatter(const std::string& op, const Shape& data, const Tensor& indices, const Shape& updates,
                           DType dtype, const relay::Attrs& attrs) {
  const relay::ExprPtr x = Param("x", data, "", dtype), i = Param("i", indices.shape(), "", indices.dtype()),
                       u = Param("u", updates, "", dtype);
  return Function({x, i, u}, relay::MakeCall(op, {x, i, u}, attrs));
}

void CheckElements(const Shape& data, const Shape& shape, int64_t axis, const std::string& reduction = "update",
                   DType dtype = DType::kFloat32, DType index_type = DType::kInt64) {
  SCOPED_TRACE(::testing::Message() << ShapeText(data) << " " << ShapeText(shape) << " " << axis << " " << reduction);
  const Tensor indices = Positions(shape, data[static_cast<size_t>(axis)], index_type);
  const auto function =
      Scatter("scatter_elements", data, indices, shape, dtype, {{"axis", axis}, {"reduction", reduction}});
  CheckFunction(function, {Filled(*function->params[0]->type, 1), indices, Filled(*function->params[2]->type, 2)});
}

void CheckSlices(const Shape& data, const Shape& places, int64_t depth, const std::string& mode) {
  SCOPED_TRACE(::testing::Message() << ShapeText(data) << " " << ShapeText(places) << " " << depth << " " << mode);
  Shape shape{depth}, updates = places;
  shape.insert(shape.end(), places.begin(), places.end());
  updates.insert(updates.end(), data.begin() + depth, data.end());
  const Tensor indices = Positions(shape, 2);
  const auto function = Scatter("scatter_nd", data, indices, updates, DType::kFloat32, {{"mode", mode}});
  CheckFunction(function, {Filled(*function->params[0]->type, 1), indices, Filled(*function->params[2]->type, 2)});
}

TEST(ScatterKernel, TakesEveryTypeAndReduction) {
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    for (const char* reduction : {"update", "add", "mul", "max", "min"}) {
      CheckElements({3, 5}, {3, 9}, 1, reduction, dtype, DType::kInt32);
    }
  }
  CheckElements({3, 5}, {3, 9}, 1, "update", DType::kBool);
}

TEST(ScatterKernel, GoesAlongEachAxis) {
  for (const int64_t axis : {0, 1, 2}) {
    CheckElements({4, 5, 6}, {4, 5, 6}, axis, "add");
    CheckElements({4, 5, 6}, {3, 2, 5}, axis, "update");
  }
  CheckElements({7, 300}, {12, 300}, 0, "add");
  CheckElements({5000}, {70}, 0, "add");
}

TEST(ScatterKernel, PutsSlicesOfAnyLength) {
  for (const char* mode : {"update", "add", "min"}) {
    CheckSlices({4, 5, 6}, {3}, 3, mode);
    CheckSlices({4, 5, 6}, {3, 2}, 2, mode);
    CheckSlices({4, 700}, {5}, 1, mode);
  }
}

TEST(ScatterKernel, TakesNoUpdates) {
  CheckElements({4, 5}, {0, 5}, 0);
  CheckSlices({4, 5}, {0}, 1, "add");
}

// A run cannot fail, so an update at an invalid position is skipped.
TEST(ScatterKernel, LeavesOutWhatIsOutside) {
  Tensor indices(DType::kInt64, {5}), data(DType::kFloat32, {3}), updates(DType::kFloat32, {5});
  const int64_t places[] = {3, -4, INT64_MAX, INT64_MIN, 1};
  for (int64_t i = 0; i < 5; ++i) {
    indices.data<int64_t>()[i] = places[i];
    updates.Set(i, static_cast<double>(i + 1));
  }
  Random random(1);
  for (const std::string op : {"scatter_elements", "scatter_nd"}) {
    const bool nd = op == "scatter_nd";
    const Tensor at = nd ? indices.Reshaped({1, 5}) : indices;
    const auto function = Scatter(op, {3}, at, {5}, DType::kFloat32, {{nd ? "mode" : "reduction", std::string("add")}});
    for (const Target& target : TestTargets()) {
      const Tensor result = CompiledFunction(function, target).Run({data, at, updates}, 0, random)[0];
      for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(result.At(i), i == 1 ? 5 : 0) << op << " " << i;
    }
  }
}

}  // namespace
}  // namespace hone::testing
