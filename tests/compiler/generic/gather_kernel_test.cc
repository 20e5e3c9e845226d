// Kernels that read at computed positions, against their references; bad positions must stay inside.
#include <gtest/gtest.h>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::MakeCall;

Tensor Indices(const Shape& shape, int64_t extent, DType dtype) {
  Tensor indices(dtype, shape);
  for (int64_t i = 0; i < indices.elements(); ++i) indices.Set(i, static_cast<double>(i * 7 % (2 * extent) - extent));
  return indices;
}

TEST(GatherKernel, PicksAlongEveryAxis) {
  for (DType dtype : {DType::kInt64, DType::kInt32}) {
    for (int64_t axis : {0, 1, -1}) {
      const auto x = Param("x", {6, 5, 40}), i = Param("i", {4, 3, 33}, "", dtype);
      const int64_t extent = axis == 0 ? 6 : axis == 1 ? 5 : 40;
      CheckFunction(Function({x, i}, MakeCall("gather", {x, i}, {{"axis", axis}})),
                    {Filled(*x->type, 1), Indices({4, 3, 33}, extent, dtype)});
    }
  }
}

TEST(GatherKernel, PicksSlicesAndElements) {
  const auto x = Param("x", {3, 4, 37});
  for (const Shape& shape : {Shape{1, 5}, Shape{2, 5, 2}, Shape{3, 20}}) {
    const auto i = Param("i", shape, "", DType::kInt64);
    CheckFunction(Function({x, i}, MakeCall("gather_nd", {x, i})),
                  {Filled(*x->type, 1), Indices(shape, 3, DType::kInt64)});
  }
  const auto i = Param("i", {1, 3, 2}, "", DType::kInt64);
  CheckFunction(Function({x, i}, MakeCall("gather_nd", {x, i}, {{"batch_dims", int64_t{1}}})),
                {Filled(*x->type, 1), Indices({1, 3, 2}, 4, DType::kInt64)});
}

}  // namespace
}  // namespace hone::testing
