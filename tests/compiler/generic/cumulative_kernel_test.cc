// cumsum and cumprod as kernels against their references: every element type and direction, lines and blocks of any
// size.
#include <gtest/gtest.h>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

void Check(const Shape& shape, int64_t axis, bool exclusive, bool reverse, DType dtype = DType::kFloat32,
           const std::string& op = "cumsum") {
  SCOPED_TRACE(::testing::Message() << op << " " << ShapeText(shape) << ", axis " << axis << ", " << DTypeName(dtype));
  const relay::ExprPtr x = Param("x", shape, "", dtype);
  CheckFunction(
      Function({x}, relay::MakeCall(op, {x}, {{"axis", axis}, {"exclusive", exclusive}, {"reverse", reverse}})));
}

TEST(CumulativeKernel, TakesEveryNumber) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    for (const char* op : {"cumsum", "cumprod"}) {
      Check({11, 9}, 1, false, false, dtype, op);
      Check({9, 37}, 0, true, true, dtype, op);
    }
  }
}

TEST(CumulativeKernel, RunsAlongEachAxisBothWays) {
  for (const int64_t axis : {0, 1, 2}) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) Check({5, 6, 7}, axis, exclusive, reverse);
    }
  }
}

// Inner extents below, at and beyond the vectors of an item; lines that fill no group.
TEST(CumulativeKernel, CutsWhatDoesNotFillAnItem) {
  for (const int64_t inner : {1, 3, 8, 17, 64, 130, 200}) {
    for (const int64_t outer : {1, 2, 9}) Check({outer, 5, inner}, 1, false, false);
  }
}

TEST(CumulativeKernel, TakesNoElements) {
  Check({0, 5}, 1, false, false);
  Check({5, 0}, 1, false, false);
  Check({5, 0}, 0, true, true);
}

}  // namespace
}  // namespace hone::testing
