// A small quantised network from ONNX to a package gives the bits of plain integer loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/run_onnx.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kU8 = onnx::TensorProto::UINT8;
constexpr int kS8 = onnx::TensorProto::INT8;
constexpr int64_t kIn = 5, kMiddle = 480, kOut = 7, kSide = 6;
constexpr int kInZero = 9, kMiddleZero = 128;

std::vector<int> Integers(size_t count, int low, uint64_t seed) {
  Random random(seed);
  std::vector<int> values;
  for (size_t i = 0; i < count; ++i) values.push_back(low + static_cast<int>(random.Below(256)));
  return values;
}

// The integer sum of a 3 x 3 window with padding 1, with x's zero point subtracted.
int64_t WindowSum(const std::vector<int>& x, int zero, int64_t channels, const std::vector<int>& w, int64_t out,
                  int64_t row, int64_t column) {
  int64_t sum = 0;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t k = 0; k < 9; ++k) {
      const int64_t r = row + k / 3 - 1, l = column + k % 3 - 1;
      if (r < 0 || r >= kSide || l < 0 || l >= kSide) continue;
      const int value = x[static_cast<size_t>((c * kSide + r) * kSide + l)] - zero;
      sum += static_cast<int64_t>(value) * w[static_cast<size_t>((out * channels + c) * 9 + k)];
    }
  }
  return sum;
}

struct Layer {
  int64_t in, out;
  int zero, result_zero;
  float scale;  // the combined scale of x, w and the result
};

std::vector<int> ByHand(const std::vector<int>& x, const std::vector<int>& w, const Layer& layer) {
  std::vector<int> result;
  for (int64_t o = 0; o < layer.out; ++o) {
    for (int64_t at = 0; at < kSide * kSide; ++at) {
      const int64_t sum = WindowSum(x, layer.zero, layer.in, w, o, at / kSide, at % kSide);
      const float quotient = static_cast<float>(sum) * layer.scale;
      result.push_back(std::clamp(static_cast<int>(std::nearbyint(quotient)) + layer.result_zero, 0, 255));
    }
  }
  return result;
}

TEST(Quantised, APackageGivesTheBitsOfIntegerLoops) {
  const auto w1 = Integers(kMiddle * kIn * 9, -128, 1), w2 = Integers(kOut * kMiddle * 9, -128, 2);
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, kIn, kSide, kSide}).Weight("xs", {}, {0.5F}).Integers("xz", kU8, {}, {kInZero});
  model.Integers("w1", kS8, {kMiddle, kIn, 3, 3}, w1).Integers("w2", kS8, {kOut, kMiddle, 3, 3}, w2);
  model.Weight("ws", {}, {0.25F}).Integers("wz", kS8, {}, {0});
  model.Weight("ms", {}, {400})
      .Integers("mz", kU8, {}, {kMiddleZero})
      .Weight("ys", {}, {30000})
      .Integers("yz", kU8, {}, {3});
  const std::vector<std::pair<std::string, TestAttribute>> padded{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  model.Node("QLinearConv", {"x", "xs", "xz", "w1", "ws", "wz", "ms", "mz"}, {"m"}, padded);
  model.Node("QLinearConv", {"m", "ms", "mz", "w2", "ws", "wz", "ys", "yz"}, {"y"}, padded).Output("y");
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(model.Bytes(), "quantised").module);
  // The second sum is too long to be exact in float32.
  std::vector<DType> sums;
  relay::PostOrderVisit(module.main, [&](const relay::ExprPtr& expr) {
    if (relay::AsCallTo(expr, "nn.conv2d") != nullptr) sums.push_back(expr->type->dtype);
  });
  EXPECT_EQ(sums, (std::vector{DType::kFloat32, DType::kInt32}));
  const BuildResult built = Build(module, HostBuild());

  const std::vector<int> x = Integers(kIn * kSide * kSide, 0, 3);
  Tensor input(DType::kUInt8, {1, kIn, kSide, kSide});
  for (size_t i = 0; i < x.size(); ++i) input.data<uint8_t>()[i] = static_cast<uint8_t>(x[i]);
  const std::vector<int> middle = ByHand(x, w1, {kIn, kMiddle, kInZero, kMiddleZero, 0.5F * 0.25F / 400});
  const std::vector<int> want = ByHand(middle, w2, {kMiddle, kOut, kMiddleZero, 3, 400 * 0.25F / 30000});

  SessionOptions options;
  options.threads = 2;
  Session session(Package::FromBytes(built.package, "quantised"), options);
  session.SetInput("x", input);
  session.Run();
  const Tensor got = session.Output(0);
  ASSERT_EQ(got.dtype(), DType::kUInt8);
  ASSERT_EQ(got.elements(), static_cast<int64_t>(want.size()));
  for (size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got.data<uint8_t>()[i], want[i]) << "element " << i;
  EXPECT_GT(std::count_if(want.begin(), want.end(), [](int v) { return v > 3 && v < 255; }), 20);
}

constexpr int64_t kRows = 5, kDepth = 2048, kColumns = 24;

// The product of a kRows x kDepth matrix, less its zero point, and a kDepth x kColumns matrix.
std::vector<int64_t> RowSums(const std::vector<int>& x, int zero, const std::vector<int>& w) {
  std::vector<int64_t> sums(kRows * kColumns, 0);
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t k = 0; k < kDepth; ++k) {
      sums[i] += static_cast<int64_t>(x[i / kColumns * kDepth + k] - zero) * w[k * kColumns + i % kColumns];
    }
  }
  return sums;
}

// A model's output, built for this machine, and the workloads of its kernels with knobs.
struct Ran {
  Tensor output;
  std::vector<std::string> workloads;
};
Ran RunBuilt(const ModelMaker& model, const Tensor& x) {
  const BuildResult built = Build(relay::InferType(ImportOnnxBytes(model.Bytes(), "dense").module), HostBuild());
  Ran ran;
  for (const PlanKernel& kernel : built.plan.kernels) {
    if (!kernel.dispatch.workload.empty()) ran.workloads.push_back(kernel.dispatch.workload);
  }
  SessionOptions options;
  options.threads = 2;
  Session session(Package::FromBytes(built.package, "dense"), options);
  session.SetInput("x", x);
  session.Run();
  ran.output = session.Output(0).Clone();
  return ran;
}

// Sums of bytes past 2^24, with a zero point that is known when the package is built.
TEST(Quantised, DenseLayersOfLongSumsGiveTheBitsOfIntegerLoops) {
  const std::vector<int> x = Integers(kRows * kDepth, 0, 5), w = Integers(kDepth * kColumns, -128, 6);
  ModelMaker model;
  model.IntegerInput("x", kU8, {1, kRows, kDepth}).Weight("xs", {}, {0.5F}).Integers("xz", kU8, {}, {kInZero});
  model.Integers("w", kS8, {kDepth, kColumns}, w).Weight("ws", {}, {0.25F}).Integers("wz", kS8, {}, {0});
  model.Weight("ys", {}, {3000}).Integers("yz", kU8, {}, {117});
  model.Node("QLinearMatMul", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"}).Output("y");
  Tensor input(DType::kUInt8, {1, kRows, kDepth});
  for (size_t i = 0; i < x.size(); ++i) input.data<uint8_t>()[i] = static_cast<uint8_t>(x[i]);
  const Ran ran = RunBuilt(model, input);
  EXPECT_THAT(ran.workloads, ElementsAre(HasSubstr("dtype=uint8,int8,int32,uint8")));
  const std::vector<int64_t> sums = RowSums(x, kInZero, w);
  int between = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    const float quotient = static_cast<float>(sums[i]) * (0.5F * 0.25F / 3000);
    const int want = std::clamp(static_cast<int>(std::nearbyint(quotient)) + 117, 0, 255);
    ASSERT_EQ(ran.output.data<uint8_t>()[i], want) << i;
    between += want > 0 && want < 255 ? 1 : 0;
  }
  EXPECT_GT(between, 60) << "the numbers tell nothing";
}

// Dynamic quantisation computes the zero point and the scale in the run.
TEST(Quantised, DenseLayersQuantisedInTheRunGiveTheBitsOfIntegerLoops) {
  const std::vector<int> w = Integers(kDepth * kColumns, -128, 8);
  Tensor input(DType::kFloat32, {1, kRows, kDepth});
  FillTensor(input, Fill::kNormal, 7);
  std::vector<float> bias;
  for (int n = 0; n < kColumns; ++n) bias.push_back(static_cast<float>(n) / 8);
  ModelMaker model;
  model.Input("x", {1, kRows, kDepth}).Integers("w", kS8, {kDepth, kColumns}, w).Weight("ws", {1}, {0.125F});
  model.Integers("wz", kS8, {}, {0}).Weight("b", {kColumns}, bias);
  model.Node("DynamicQuantizeLinear", {"x"}, {"q", "xs", "xz"}).Node("MatMulInteger", {"q", "w", "xz", "wz"}, {"sums"});
  model.Node("Cast", {"sums"}, {"real"}, {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  model.Node("Mul", {"xs", "ws"}, {"s"}).Node("Mul", {"real", "s"}, {"scaled"}).Node("Add", {"b", "scaled"}, {"y"});
  model.Output("y");
  const Ran ran = RunBuilt(model, input);
  EXPECT_THAT(ran.workloads, ElementsAre(HasSubstr("dtype=uint8,int8,int32,float32 epilogue=bias_act")));

  const float* values = input.data<float>();
  const auto [least, most] = std::minmax_element(values, values + input.elements());
  const float scale = (std::max(*most, 0.0F) - std::min(*least, 0.0F)) / 255;
  const int zero = static_cast<int>(std::nearbyint(-*least / scale));
  std::vector<int> x;
  for (int64_t i = 0; i < input.elements(); ++i) {
    x.push_back(std::clamp(static_cast<int>(std::nearbyint(values[i] / scale)) + zero, 0, 255));
  }
  const std::vector<int64_t> sums = RowSums(x, zero, w);
  for (size_t i = 0; i < sums.size(); ++i) {
    const float scaled = static_cast<float>(sums[i]) * (scale * 0.125F);
    ASSERT_EQ(ran.output.data<float>()[i], scaled + bias[i % kColumns]) << i;
  }
}

}  // namespace
}  // namespace hone
