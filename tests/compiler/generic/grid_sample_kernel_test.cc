// image.grid_sample as a kernel against its reference: every mode and padding mode, positions far outside, and partial
// items of channels and positions.
#include <gtest/gtest.h>

#include <limits>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

// Positions from -2 to 2, some of them exactly on pixels and on borders.
Tensor Grid(const Shape& shape) {
  Tensor grid(DType::kFloat32, shape);
  FillTensor(grid, Fill::kUniform, 5);
  for (int64_t i = 0; i < grid.elements(); ++i) {
    const double at = 2 * grid.At(i);
    grid.Set(i, i % 5 == 0 ? static_cast<double>(static_cast<int64_t>(at * 4)) / 4 : at);
  }
  return grid;
}

void Check(const Shape& data, const Shape& places, const std::string& method, const std::string& padding,
           bool corners) {
  SCOPED_TRACE(::testing::Message() << ShapeText(data) << " " << method << " " << padding << " " << corners);
  Shape shape{data[0]};
  shape.insert(shape.end(), places.begin(), places.end());
  shape.push_back(static_cast<int64_t>(places.size()));
  const relay::ExprPtr x = Param("x", data), grid = Param("grid", shape);
  const relay::Attrs attrs{{"method", method}, {"padding_mode", padding}, {"align_corners", corners}};
  CheckFunction(Function({x, grid}, relay::MakeCall("image.grid_sample", {x, grid}, attrs)),
                {Filled(*x->type, 1), Grid(shape)}, 1e-5);
}

TEST(GridSampleKernel, BlendsAndPadsEachWay) {
  for (const char* method : {"bilinear", "nearest_neighbor", "bicubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool corners : {false, true}) Check({2, 3, 8, 4}, {5, 7}, method, padding, corners);
    }
  }
}

TEST(GridSampleKernel, SamplesVolumes) {
  for (const char* method : {"bilinear", "nearest_neighbor"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool corners : {false, true}) Check({2, 3, 3, 8, 4}, {2, 5, 7}, method, padding, corners);
    }
  }
}

TEST(GridSampleKernel, TakesAnyNumberOfChannelsAndPlaces) {
  Check({1, 70, 5, 6}, {20, 13}, "bilinear", "zeros", false);
  Check({2, 1, 1, 1}, {3, 3}, "bilinear", "reflection", true);
  Check({1, 2, 4, 4}, {1, 1}, "bilinear", "border", false);
  Check({1, 2, 4, 4}, {0, 3}, "bilinear", "zeros", false);
}

// A pixel outside counts as zero by being skipped, because its weight may be infinite.
TEST(GridSampleKernel, LeavesOutWhatIsOutside) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor data = Tensor::FromVector<float>(DType::kFloat32, {1, 1, 1, 2}, {inf, 1});
  const Tensor grid = Tensor::FromVector<float>(DType::kFloat32, {1, 1, 1, 2}, {9, 0});
  const relay::ExprPtr x = Param("x", data.shape()), at = Param("grid", grid.shape());
  CheckFunction(Function({x, at}, relay::MakeCall("image.grid_sample", {x, at}, {})), {data, grid});
}

}  // namespace
}  // namespace hone::testing
