// Quantised products of two computed matrices against plain loops over integers: kernels of bytes compute them.
#include <gmock/gmock.h>

#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

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

// a: heads x m x k, b: heads x k x n.
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

// Zero points that only the run knows, and known ones of sums that float32 does not hold.
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

// One of them a vector: the other's rows are what is left.
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

// Of zero points per row and per column nothing is known here: they are taken off before.
TEST(MatMulInteger, LeavesSeveralZeroPointsOfComputedMatricesToFloats) {
  ModelMaker model;
  model.IntegerInput("a", kU8, {2, 3, 8}).IntegerInput("b", kU8, {2, 8, 4});
  model.Integers("az", kU8, {3}, {1, 2, 3}).Integers("bz", kU8, {}, {5});
  model.Node("MatMulInteger", {"a", "b", "az", "bz"}, {"y"}).Output("y");
  EXPECT_EQ(PairsIn(model.Bytes()), 0);
}

}  // namespace
}  // namespace hone
