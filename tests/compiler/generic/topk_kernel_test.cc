// topk as a kernel against its reference: every element type, many equal elements, any k, axes that are not dense.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

void Check(const Shape& shape, int64_t k, int64_t axis, bool ascending, DType dtype, std::vector<Tensor> args = {}) {
  SCOPED_TRACE(::testing::Message() << "k " << k << ", axis " << axis << ", " << DTypeName(dtype));
  const relay::ExprPtr x = Param("x", shape, "", dtype);
  CheckFunction(Function({x}, relay::MakeCall("topk", {x}, {{"k", k}, {"axis", axis}, {"is_ascend", ascending}})),
                std::move(args));
}

TEST(TopKKernel, SortsEveryElementType) {
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    for (const bool ascending : {false, true}) Check({3, 37}, 11, 1, ascending, dtype);
  }
}

TEST(TopKKernel, TakesAnyK) {
  for (const int64_t k : {1, 2, 3, 4, 7, 8, 63, 64, 99, 100}) Check({2, 100}, k, 1, false, DType::kFloat32);
}

// A large k sorts by digits, a small one keeps a heap; lines have many equal elements.
TEST(TopKKernel, TakesManyOfLongLines) {
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    for (const int64_t k : {1, 40, 900, 3000}) Check({3000}, k, 0, k == 40, dtype);
  }
  Check({2, 5000}, 300, 1, true, DType::kFloat32);
  Check({2, 5000, 3}, 300, 1, false, DType::kFloat32);
}

TEST(TopKKernel, SearchesEachAxis) {
  for (const int64_t axis : {0, 1, 2}) Check({9, 10, 11}, 5, axis, true, DType::kFloat32);
}

TEST(TopKKernel, OrdersWhatIsNoUsualNumber) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> odd{0.0F, -0.0F, inf, -inf, nan, 1e-45F, -1e-45F, nan, 3.4e38F, -3.4e38F, -0.0F, 0.0F};
  const auto count = static_cast<int64_t>(odd.size());
  for (const bool ascending : {false, true})
    Check({count}, count, 0, ascending, DType::kFloat32, {Tensor::FromVector(DType::kFloat32, {count}, odd)});
}

TEST(TopKKernel, OrdersWhatIsNoUsualNumberInLongLines) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float odd[] = {0.0F, -0.0F, inf, -inf, nan, -nan, 1e-45F, 3.4e38F, -3.4e38F, 7.0F, -7.0F};
  Tensor x(DType::kFloat32, {4000});
  for (int64_t i = 0; i < 4000; ++i) x.data<float>()[i] = odd[i * 7 % 11];
  for (const bool ascending : {false, true}) {
    for (const int64_t k : {3, 1100, 4000}) Check({4000}, k, 0, ascending, DType::kFloat32, {x});
  }
}

TEST(TopKKernel, KeepsWhatOnlyInt64Holds) {
  Tensor x(DType::kInt64, {6});
  const int64_t values[] = {INT64_MIN, 5, INT64_MAX, -7, int64_t{1} << 40, -(int64_t{1} << 40)};
  std::copy(std::begin(values), std::end(values), x.data<int64_t>());
  Check({6}, 6, 0, false, DType::kInt64, {x});
  Check({6}, 4, 0, true, DType::kInt64, {x});
  Tensor many(DType::kInt64, {5000});
  for (int64_t i = 0; i < 5000; ++i) many.data<int64_t>()[i] = values[i % 6] ^ (i % 5 << 20);
  Check({5000}, 2000, 0, false, DType::kInt64, {many});
}

}  // namespace
}  // namespace hone::testing
