// Products of integers against plain loops; kernels of bytes compute most of them.
#include <gmock/gmock.h>

#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;

constexpr int kU8 = onnx::TensorProto::UINT8, kS8 = onnx::TensorProto::INT8;

Tensor RandomBytes(DType dtype, const Shape& shape, uint64_t seed) {
  Random random(seed);
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.Set(i, static_cast<double>(random.Below(256)) - (dtype == DType::kInt8 ? 128 : 0));
  }
  return tensor;
}

int PairsIn(const std::string& bytes) {
  int count = 0;
  relay::PostOrderVisit(ImportOnnxBytes(bytes, "m").module.main, [&](const relay::ExprPtr& expr) {
    const relay::Call* product = relay::AsCallTo(expr, "nn.batch_matmul");
    count += product != nullptr && product->attrs.GetString("out_dtype") == "int32" ? 1 : 0;
  });
  return count;
}

// The operand a is heads x m x k, b is heads x k x n.
void ExpectSums(const Tensor& y, const Tensor& a, const Tensor& b, int64_t a_zero, int64_t b_zero) {
  const int64_t m = a.shape()[1], k = a.shape()[2], n = b.shape()[2];
  ASSERT_EQ(y.shape(), (Shape{a.shape()[0], m, n}));
  for (int64_t i = 0; i < y.elements(); ++i) {
    const int64_t head = i / (m * n), row = i / n % m, column = i % n;
    int64_t sum = 0;
    for (int64_t step = 0; step < k; ++step) {
      sum += (static_cast<int64_t>(a.At((head * m + row) * k + step)) - a_zero) *
             (static_cast<int64_t>(b.At((head * k + step) * n + column)) - b_zero);
    }
    ASSERT_EQ(y.data<int32_t>()[i], sum) << i;
  }
}

struct Operand {
  DType dtype;
  int zero;
};

// Zero points known only at run time, and known ones with sums that exceed float32's integers.
TEST(MatMulInteger, MultipliesComputedMatricesAsBytes) {
  constexpr Operand kOperands[] = {{DType::kUInt8, 128}, {DType::kUInt8, 7}, {DType::kInt8, 0}, {DType::kInt8, -90}};
  for (const Operand& a : kOperands) {
    for (const Operand& b : kOperands) {
      for (const bool known : {false, true}) {
        const int64_t depth = known ? 1100 : 23;
        ModelMaker model;
        model.IntegerInput("a", a.dtype == DType::kInt8 ? kS8 : kU8, {2, 5, depth});
        model.IntegerInput("b", b.dtype == DType::kInt8 ? kS8 : kU8, {2, depth, 3});
        std::map<std::string, Tensor> inputs{{"a", RandomBytes(a.dtype, {2, 5, depth}, 1)},
                                             {"b", RandomBytes(b.dtype, {2, depth, 3}, 2)}};
        for (const auto& [name, of] : {std::pair("az", a), std::pair("bz", b)}) {
          const int type = of.dtype == DType::kInt8 ? kS8 : kU8;
          if (known) {
            model.Integers(name, type, {}, {of.zero});
          } else {
            model.IntegerInput(name, type, {});
            Tensor zero(of.dtype, {});
            zero.Set(0, of.zero);
            inputs.emplace(name, zero);
          }
        }
        model.Node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"}).Output("y");
        EXPECT_EQ(PairsIn(model.Bytes()), 1);
        ExpectSums(RunOnnx(model.Bytes(), inputs)[0], inputs.at("a"), inputs.at("b"), a.zero, b.zero);
      }
    }
  }
}

// One operand is a vector: the result has only the other's rows.
TEST(MatMulInteger, MultipliesAComputedVectorAsBytes) {
  ModelMaker model;
  model.IntegerInput("a", kU8, {300}).IntegerInput("b", kU8, {2, 300, 4});
  model.Node("MatMulInteger", {"a", "b"}, {"y"}).Output("y");
  const Tensor a = RandomBytes(DType::kUInt8, {300}, 3), b = RandomBytes(DType::kUInt8, {2, 300, 4}, 4);
  const Tensor y = RunOnnx(model.Bytes(), {{"a", a}, {"b", b}})[0];
  ASSERT_EQ(y.shape(), (Shape{2, 4}));
  EXPECT_EQ(PairsIn(model.Bytes()), 1);
  for (int64_t i = 0; i < 8; ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < 300; ++k) sum += static_cast<int64_t>(a.At(k) * b.At((i / 4 * 300 + k) * 4 + i % 4));
    EXPECT_EQ(y.data<int32_t>()[i], sum) << i;
  }
}

// Zero points per row and per column are not supported here: they are subtracted first.
TEST(MatMulInteger, LeavesSeveralZeroPointsOfComputedMatricesToFloats) {
  ModelMaker model;
  model.IntegerInput("a", kU8, {2, 3, 8}).IntegerInput("b", kU8, {2, 8, 4});
  model.Integers("az", kU8, {3}, {1, 2, 3}).Integers("bz", kU8, {}, {5});
  model.Node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"}).Output("y");
  EXPECT_EQ(PairsIn(model.Bytes()), 0);
}

TEST(MatMulInteger, SplitsSumsThatNoDigitsHold) {
  constexpr int64_t kDepth = 90002;  // int32 could not hold sums of 255s, which products of bytes require
  ModelMaker model;
  model.IntegerInput("a", kU8, {2, kDepth}).Integers("b", kS8, {kDepth, 1}, std::vector<int>(kDepth, -100));
  model.Node("MatMulInteger", {"a", "b"}, {"y"}).Output("y");
  std::vector<double> a(2 * kDepth, 200);
  a.back() = 199;
  const Tensor y = RunOnnx(model.Bytes(), {{"a", Typed(DType::kUInt8, {2, kDepth}, a)}})[0];
  EXPECT_EQ(y.data<int32_t>()[0], -100 * 200 * kDepth);
  EXPECT_EQ(y.data<int32_t>()[1], -100 * 200 * kDepth + 100);
}

// Known weights, with sums past float32's integers or an unknown zero point: bytes are multiplied.
TEST(MatMulInteger, MultipliesBytesWhereFloatsDoNotDo) {
  constexpr int64_t kDepth = 801;
  for (const bool is_signed : {false, true}) {
    const int type = is_signed ? kS8 : kU8, low = is_signed ? -128 : 0;
    for (const bool known : {false, true}) {
      Random random(3);
      std::vector<int> b(2 * kDepth);
      std::vector<double> a(3 * kDepth);
      for (int& v : b) v = known ? static_cast<int>(random.Below(28)) + 100 : static_cast<int>(random.Below(256)) - 128;
      for (double& v : a) v = static_cast<double>(random.Below(256)) + low;
      ModelMaker model;
      model.IntegerInput("a", type, {1, 3, kDepth}).Integers("b", kS8, {kDepth, 2}, b);
      known ? model.Integers("z", type, {}, {low + 7}) : model.IntegerInput("z", type, {});
      model.Node("MatMulInteger", {"a", "b", "z"}, {"y"}).Output("y");
      std::vector<double> want;
      for (int64_t i = 0; i < 6; ++i) {
        double sum = 0;
        for (int64_t k = 0; k < kDepth; ++k) {
          sum += (a[static_cast<size_t>(i / 2 * kDepth + k)] - low - 7) * b[static_cast<size_t>(2 * k + i % 2)];
        }
        want.push_back(sum);
      }
      const DType dtype = is_signed ? DType::kInt8 : DType::kUInt8;
      std::map<std::string, Tensor> inputs{{"a", Typed(dtype, {1, 3, kDepth}, a)}};
      if (!known) inputs.emplace("z", Typed(dtype, {}, {static_cast<double>(low + 7)}));
      const Tensor y = RunOnnx(model.Bytes(), inputs)[0];
      for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(y.At(static_cast<int64_t>(i)), want[i]) << is_signed << known;
      int bytes = 0;
      relay::PostOrderVisit(ImportOnnxBytes(model.Bytes(), "m").module.main, [&](const relay::ExprPtr& expr) {
        const relay::Call* dense = relay::AsCallTo(expr, "nn.dense");
        bytes += dense != nullptr && dense->attrs.GetString("out_dtype") == "int32" ? 1 : 0;
      });
      EXPECT_EQ(bytes, 1);
    }
  }
}

TEST(MatMulInteger, TakesZeroPointsPerRowAndPerColumn) {
  ModelMaker model;
  model.IntegerInput("a", kU8, {2, 2}).IntegerInput("b", kU8, {2, 2});
  model.Integers("az", kU8, {2}, {1, 2}).Integers("bz", kU8, {2}, {0, 5});
  model.Node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"}).Output("y");
  const Tensor a = Typed(DType::kUInt8, {2, 2}, {1, 2, 3, 4}), b = Typed(DType::kUInt8, {2, 2}, {5, 6, 7, 8});
  // a - z = [0 1; 1 2], b - z = [5 1; 7 3].
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"a", a}, {"b", b}})[0]), ElementsAre(7, 3, 19, 7));
}

}  // namespace
}  // namespace hone
