#include <cmath>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Attrs Elements(int64_t axis, const std::string& reduction = "update") {
  return {{"axis", axis}, {"reduction", reduction}};
}

TEST(ScatterElements, PutsEachUpdateAlongTheAxis) {
  const Tensor data = Saw({2, 3}, 6, 0), indices = Int64s({1, 2}, {1, -2}), updates = Floats({1, 2}, {10, 20});
  EXPECT_THAT(RunFor("scatter_elements", {data, indices, updates}, Elements(0)), ElementsAre(0, 20, 2, 10, 4, 5));
  EXPECT_THAT(RunFor("scatter_elements", {data, indices, updates}, Elements(-1)), ElementsAre(0, 20, 2, 3, 4, 5));
}

TEST(ScatterElements, JoinsInTheOrderOfUpdates) {
  const Tensor data = Floats({3}, {1, 2, 4}), indices = Int64s({4}, {0, -1, 0, 0}),
               updates = Floats({4}, {5, 7, -2, 3});
  const auto joined = [&](const std::string& how) {
    return RunFor("scatter_elements", {data, indices, updates}, Elements(0, how));
  };
  EXPECT_THAT(joined("update"), ElementsAre(3, 2, 7));
  EXPECT_THAT(joined("add"), ElementsAre(7, 2, 11));
  EXPECT_THAT(joined("mul"), ElementsAre(-30, 2, 28));
  EXPECT_THAT(joined("max"), ElementsAre(5, 2, 7));
  EXPECT_THAT(joined("min"), ElementsAre(-2, 2, 4));
}

TEST(ScatterElements, KeepsWhatOnlyInt64Holds) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const Tensor sum = RunOp("scatter_elements", {Int64s({1}, {large}), Int64s({2}, {0, 0}), Int64s({2}, {2, 4})},
                           Elements(0, "add"))[0];
  EXPECT_EQ(sum.data<int64_t>()[0], large + 6);
}

TEST(ScatterElements, IntegersWrap) {
  const Tensor data = Tensor::FromVector<int8_t>(DType::kInt8, {1}, {100});
  const Tensor updates = Tensor::FromVector<int8_t>(DType::kInt8, {1}, {100});
  EXPECT_THAT(RunFor("scatter_elements", {data, Int64s({1}, {0}), updates}, Elements(0, "add")), ElementsAre(-56));
}

// Positions (1, 2) and (0, -3) for single elements; 1 and 0 for rows.
TEST(ScatterNd, PutsSlices) {
  const Tensor data = Saw({2, 3}, 6, 0);
  EXPECT_THAT(RunFor("scatter_nd", {data, Int64s({2, 2}, {1, 0, 2, -3}), Floats({2}, {10, 20})}),
              ElementsAre(20, 1, 2, 3, 4, 10));
  const Tensor rows = Floats({2, 3}, {10, 20, 30, 40, 50, 60});
  EXPECT_THAT(RunFor("scatter_nd", {data, Int64s({1, 2}, {1, 1}), rows}, {{"mode", std::string("add")}}),
              ElementsAre(0, 1, 2, 53, 74, 95));
}

TEST(ScatterType, HoldsUpdatesToIndices) {
  const TypePtr data = TensorType({4, 3}), indices = TensorType({2, 3}, DType::kInt64), updates = TensorType({2, 3});
  EXPECT_EQ(ResultType("scatter_elements", {data, indices, updates}, Elements(0)), "Tensor[(4, 3), float32]");
  EXPECT_THAT(ResultType("scatter_elements", {TensorType({4, 2}), indices, updates}, Elements(0)),
              HasSubstr("indices 2x3 reach past data 4x2"));
  EXPECT_THAT(ResultType("scatter_elements", {data, indices, TensorType({2, 2})}, Elements(0)),
              HasSubstr("updates are 2x2, they must be 2x3"));
  EXPECT_THAT(ResultType("scatter_elements", {data, TensorType({2, 3}), updates}, Elements(0)),
              HasSubstr("indices is float32, it must be int32 or int64"));
  EXPECT_THAT(ResultType("scatter_elements", {data, indices, updates}, Elements(0, "mean")),
              HasSubstr("it must be update, add, mul, max or min"));
  EXPECT_THAT(ResultType("scatter_nd", {data, TensorType({3, 5}, DType::kInt64), TensorType({5})}),
              HasSubstr("positions of 3 parts for data 4x3"));
}

TEST(ScatterElements, LeavesOutUpdatesOutside) {
  EXPECT_THAT(
      RunFor("scatter_elements", {Floats({2}, {1, 2}), Int64s({3}, {2, -3, -1}), Floats({3}, {3, 4, 5})}, Elements(0)),
      ElementsAre(1, 5));
}

}  // namespace
}  // namespace hone::relay
