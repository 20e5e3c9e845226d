#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ExprPtr Matrix(DType dtype, const Shape& shape, const std::function<double(int64_t row, int64_t column)>& element) {
  Tensor value(dtype, shape);
  const int64_t columns = shape.back();
  for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, element(i / columns, i % columns));
  return relay::MakeConstant(value);
}

// The operators that compute the output; none if it stays a constant.
std::vector<std::string> OperatorsOf(const ExprPtr& output) {
  const IRModule module = ModuleOf(output), after = ComputedOutputs(module);
  ExpectSameMeaning(module, after, 0);
  return OpNames(after);
}

TEST(ComputedOutputs, MatricesOfBandsAreComparisonsOfPositions) {
  for (const DType dtype : {DType::kFloat32, DType::kInt64, DType::kBool}) {
    for (const int64_t k : {-98, -3, 0, 5, 149}) {
      const ExprPtr line = Matrix(dtype, {100, 400}, [k](int64_t row, int64_t column) { return column == row + k; });
      const ExprPtr upper = Matrix(dtype, {100, 400}, [k](int64_t row, int64_t column) { return column >= row + k; });
      const ExprPtr lower = Matrix(dtype, {100, 400}, [k](int64_t row, int64_t column) { return column <= row + k; });
      for (const ExprPtr& matrix : {line, upper, lower}) {
        const std::vector<std::string> found = OperatorsOf(matrix);
        ASSERT_EQ(found.size(), 2U) << DTypeName(dtype) << " " << k;
        EXPECT_EQ(found[1], "where");
      }
    }
  }
}

TEST(ComputedOutputs, ValuesThatRepeatAreBroadcast) {
  const auto by_column = [](int64_t, int64_t column) { return static_cast<double>(column); };
  const auto by_row = [](int64_t row, int64_t) { return static_cast<double>(row); };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {3, 50, 400}, by_column)), ElementsAre("broadcast_to"));
  EXPECT_THAT(OperatorsOf(Matrix(DType::kInt32, {600, 70}, by_row)), ElementsAre("broadcast_to"));
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {200, 200}, [](int64_t, int64_t) { return 7; })),
              ElementsAre("broadcast_to"));
  const auto masks = [](int64_t row, int64_t column) { return column > row % 100 ? -1e9 : 0; };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {2, 3, 100, 100}, masks)),
              ElementsAre("greater_equal", "where", "broadcast_to"));
}

TEST(ComputedOutputs, OthersStayConstants) {
  EXPECT_THAT(OperatorsOf(RandomConstant({100, 400}, 1)), IsEmpty());
  const auto eye = [](int64_t row, int64_t column) { return row == column; };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {30, 30}, eye)), IsEmpty()) << "it is small";
  const auto one_apart = [](int64_t row, int64_t column) { return row == column && row != 40 ? 1 : 0; };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {200, 200}, one_apart)), IsEmpty());
  const auto two_lines = [](int64_t row, int64_t column) { return column == row || column == row + 2; };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {200, 200}, two_lines)), IsEmpty());
  const auto wide = [](int64_t row, int64_t column) { return column == row || column == row + 1; };
  EXPECT_THAT(OperatorsOf(Matrix(DType::kFloat32, {200, 200}, wide)), IsEmpty());
}

TEST(ComputedOutputs, EachOutputOfSeveralIsComputed) {
  const ExprPtr ones = Matrix(DType::kFloat32, {200, 200}, [](int64_t, int64_t) { return 1; });
  EXPECT_THAT(OperatorsOf(relay::MakeTuple({relay::MakeCall("exp", {Input("x", {4})}), ones})),
              ElementsAre("exp", "broadcast_to"));
}

}  // namespace
}  // namespace hone::testing
