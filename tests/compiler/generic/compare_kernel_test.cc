// Kernels of comparisons, logic, choices and remainders against their references.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::MakeCall;

const std::vector<std::string> kComparisons = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"};

TEST(CompareKernel, ComparesEveryDtype) {
  for (DType dtype : {DType::kFloat32, DType::kInt32, DType::kInt64, DType::kInt8, DType::kUInt8, DType::kBool}) {
    for (const std::string& op : kComparisons) {
      const auto x = Param("x", {3, 37}, "", dtype), y = Param("y", {37}, "", dtype);
      CheckFunction(Function({x, y}, MakeCall(op, {x, y})));
    }
  }
}

TEST(CompareKernel, KnowsSignsAndNan) {
  const float nan = std::nanf("");
  const auto x = Param("x", {5}), y = Param("y", {5});
  const Tensor a = Tensor::FromVector<float>(DType::kFloat32, {5}, {1, nan, nan, -0.0F, -3});
  const Tensor b = Tensor::FromVector<float>(DType::kFloat32, {5}, {nan, 1, nan, 0, 2});
  for (const std::string& op : kComparisons) CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {a, b});
  const auto u = Param("u", {2}, "", DType::kUInt8), i = Param("i", {2}, "", DType::kInt8);
  const Tensor high = Tensor::FromVector<uint8_t>(DType::kUInt8, {2}, {200, 3});
  const Tensor low = Tensor::FromVector<int8_t>(DType::kInt8, {2}, {-100, 3});
  CheckFunction(Function({u}, MakeCall("greater", {u, relay::MakeConstant(Tensor(DType::kUInt8, {}))})), {high});
  CheckFunction(Function({i}, MakeCall("greater", {i, relay::MakeConstant(Tensor(DType::kInt8, {}))})), {low});
}

TEST(CompareKernel, CombinesTruthValues) {
  const auto x = Param("x", {2, 41}, "", DType::kBool), y = Param("y", {2, 1}, "", DType::kBool);
  Tensor a(DType::kBool, {2, 41}), b(DType::kBool, {2, 1});
  for (int64_t i = 0; i < 82; ++i) a.Set(i, i % 3 == 0 ? 1 : 0);
  b.Set(1, 1);
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {a, b});
  }
  CheckFunction(Function({x}, MakeCall("logical_not", {x})), {a});
}

TEST(CompareKernel, ChoosesInAnyLayoutAndDtype) {
  for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
    const auto x = Param("x", {2, 19, 3, 4}, layout), y = Param("y", {19, 1, 1});
    const auto chosen = MakeCall("where", {MakeCall("less", {x, y}), MakeCall("exp", {x}), y});
    CheckFunction(Function({x, y}, chosen));
  }
  const auto c = Param("c", {7, 1}, "", DType::kBool), n = Param("n", {7, 33}, "", DType::kInt64);
  const auto m = Param("m", {33}, "", DType::kInt64);
  Tensor condition(DType::kBool, {7, 1});
  for (int64_t i = 0; i < 7; i += 2) condition.Set(i, 1);
  CheckFunction(Function({c, n, m}, MakeCall("where", {c, n, m})), {condition});
}

TEST(ModuloKernel, LeavesWhatTheReferenceLeaves) {
  Tensor a(DType::kInt32, {9, 9}), b(DType::kInt32, {9});
  for (int64_t i = 0; i < 81; ++i) a.Set(i, static_cast<double>(i - 40));
  const int64_t divisors[] = {3, -3, 7, -7, 1, -1, 100, -100, 5};
  for (int64_t i = 0; i < 9; ++i) b.Set(i, static_cast<double>(divisors[i]));
  const auto x = Param("x", {9, 9}, "", DType::kInt32), y = Param("y", {9}, "", DType::kInt32);
  for (const char* op : {"mod", "floor_mod"}) CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {a, b});
}

// Shifts from negative to beyond the width, in a number of lanes that leaves a tail.
TEST(BitsKernel, DoesWhatTheReferenceDoes) {
  for (const DType dtype : {DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64}) {
    Tensor a(dtype, {9, 37}), b(dtype, {37});
    const int64_t least = dtype == DType::kUInt8 ? 0 : -128;
    for (int64_t i = 0; i < a.elements(); ++i) a.Set(i, static_cast<double>(7 * i % 256 + least));
    for (int64_t i = 0; i < 37; ++i) b.Set(i, static_cast<double>(dtype == DType::kUInt8 ? i * 2 : i * 2 - 4));
    const auto x = Param("x", {9, 37}, "", dtype), y = Param("y", {37}, "", dtype);
    for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"}) {
      CheckFunction(Function({x, y}, MakeCall(op, {x, y})), {a, b});
    }
    CheckFunction(Function({x}, MakeCall("bitwise_not", {x})), {a});
  }
}

TEST(ModuloKernel, TakesRealsExactly) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<float> p{5.5F, -5.5F, 3e7F, 3, 0.3F, 1, 4, inf, nan, 1, 6, -0.9F};
  const std::vector<float> q{2, 2, 0.1F, -1.1F, 0.1F, 0, inf, 2, 1, nan, 3, 0.3F};
  const auto x = Param("x", {12}), y = Param("y", {12});
  const Tensor a = Tensor::FromVector(DType::kFloat32, {12}, p), b = Tensor::FromVector(DType::kFloat32, {12}, q);
  CheckFunction(Function({x, y}, MakeCall("mod", {x, y})), {a, b}, 0);
  CheckFunction(Function({x, y}, MakeCall("floor_mod", {x, y})), {a, b}, 1e-7);
}

}  // namespace
}  // namespace hone::testing
