// A kernel with other element types, through the interface that float32 kernels use: uint8 data, int8 weights, int32
// sums, uint8 outputs. It tests that the interface is general, and is not one of hone's schedules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/codegen/element.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/register_tile.h"
#include "core/package/kernel_abi.h"
#include "runtime/kernel_launch.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

constexpr int kGroup = 4, kRows = 2;

// Work items are panels of `lanes` outputs. Weights are laid out as NK{lanes}n4k, so a vector holds four neighbours
// along K for each of its lanes. Rows come in pairs, K in fours and N in whole panels.
struct Int8Knobs : KnobTable {
  using KnobTable::KnobTable;
  int64_t oc_block = Row("oc_block", 8, {1, 64}, [](const Workload&, const MachineModel& machine) {
    return std::vector<int64_t>{machine.vector_lanes};
  });
};

class Int8Dense : public KnobSchedule<Int8Knobs> {
 public:
  std::string_view name() const override { return "int8_dense"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& t) const override {
    return t == ElementTypes{DType::kUInt8, DType::kInt8, DType::kInt32, DType::kUInt8};
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    return w.op == "nn.dense" && w.data[0] % kRows == 0 && w.data[1] % kGroup == 0 &&
           w.weight[0] % machine.vector_lanes == 0;
  }

 private:
  std::optional<std::string> RejectWith(const Workload&, const MachineModel&, const Int8Knobs&) const override {
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const Int8Knobs& k,
                                          const Epilogue& epilogue) const override {
    const std::string n = fmt::format("{}n", k.oc_block);
    std::vector<KernelOperand> operands{
        {OperandRole::kData, w.types.data, w.data, Layout::Parse("MK")},
        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse(fmt::format("NK{}{}k", n, kGroup))}};
    if (epilogue.scale)
      operands.push_back({OperandRole::kScale, DType::kFloat32, {w.weight[0]}, Layout::Parse("N" + n)});
    if (epilogue.bias) operands.push_back({OperandRole::kBias, DType::kFloat32, {w.weight[0]}, Layout::Parse("N" + n)});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse("MN")});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& b, const Workload& w, const MachineModel&, const Int8Knobs& knobs,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const auto lanes = static_cast<int>(knobs.oc_block);
    const RegisterTile tile{kRows, 1, lanes};
    const MultiplyAdd dot = DotProduct(w.types.data, w.types.weight);
    b.Stage(symbol, [&](const StageArgs& args) {
      b.For(args.begin, args.end, 1, [&](Value* panel) {
        Value* weights = b.At(b.Operand(args, 1), b.Mul(panel, Bytes(w.types.weight, w.data[1] * lanes)));
        b.For(0, w.data[0], kRows, [&](Value* row) {
          Value* x = b.At(b.Operand(args, 0), b.Mul(row, b.BatchStride(args, 0)));
          Vals acc = b.Loop(0, w.data[1], kGroup, tile.Zeros(b, w.types.accumulator), [&](Value* k, const Vals& in) {
            Vals sums = in;
            tile.Step(
                b, sums,
                [&](int p) {
                  Value* group = b.At(b.At(x, b.Mul(b.BatchStride(args, 0), p)), b.Mul(k, Bytes(w.types.data)));
                  return LoadElements(b, DType::kInt32, group, 1);
                },
                [&](int) { return LoadElements(b, w.types.weight, b.At(weights, b.Mul(k, lanes)), lanes * kGroup); },
                dot);
            return sums;
          });
          for (int p = 0; p < kRows; ++p)
            Store(b, args, w, epilogue, panel, b.Add(row, p), acc[static_cast<size_t>(p)]);
        });
      });
    });
    return {{{symbol, w.weight[0] / lanes, 1, 0}}, 0};
  }
  TileShape TileWith(const Workload&, const MachineModel&, const Int8Knobs&) const override { return {}; }
  double EstimateNsWith(const Workload&, const MachineModel&, const Int8Knobs&) const override { return 1; }

  static void Store(KernelBuilder& b, const StageArgs& args, const Workload& w, const Epilogue& epilogue, Value* panel,
                    Value* row, Value* acc) {
    int next = 2;
    Value* first = b.Mul(panel, b.lanes());
    EpilogueOperands operands;
    const auto vector = [&](int i) { return b.At(b.Operand(args, i), b.Mul(first, Bytes(DType::kFloat32))); };
    if (epilogue.scale) operands.scale = vector(next++);
    if (epilogue.bias) operands.bias = vector(next++);
    Value* y = b.At(b.Operand(args, next), b.Mul(row, b.BatchStride(args, next)));
    b.Store(EmitEpilogue(b, epilogue, w.types, acc, operands), b.At(y, b.Mul(first, Bytes(w.types.output))));
  }
};

Tensor Random8(DType dtype, const Shape& shape, uint64_t seed) {
  Tensor tensor(dtype, shape);
  FillTensor(tensor, Fill::kNormal, seed);
  return tensor;
}

// ONNX's QLinearMatMul with a zero point of 0 for data and weights.
double Expected(const Tensor& x, const Tensor& w, const Tensor& scale, const Tensor& bias, const Epilogue& e, int64_t m,
                int64_t n) {
  const int64_t K = x.shape()[1];
  int32_t sum = 0;
  for (int64_t k = 0; k < K; ++k) sum += static_cast<int32_t>(x.At(m * K + k)) * static_cast<int32_t>(w.At(n * K + k));
  auto real = static_cast<float>(sum) * static_cast<float>(scale.At(n));
  real += static_cast<float>(bias.At(n));
  real = std::max(real, 0.0F);
  return std::clamp(std::nearbyint(real / e.step) + e.zero_point, 0.0F, 255.0F);
}

TEST(ElementTypes, AnInt8KernelGoesThroughTheSeamOfFloat32) {
  const Int8Dense schedule;
  const Workload w = Workload::Parse("nn.dense data=4x36 weight=32x36 dtype=uint8,int8,int32,uint8");
  const Epilogue epilogue = Epilogue::Parse("scale,bias,relu,quantise(0.5,3)");
  const Target target = HostTarget();
  const MachineModel machine = MachineModelFor(target);
  ASSERT_TRUE(schedule.Fits(w, machine));
  const Config config = schedule.Space(w, machine).At(0);
  KernelBuilder builder(target, machine);
  const EmittedKernel emitted = schedule.Emit(builder, w, machine, config, epilogue, "k");
  Artifact artifact;
  artifact.elf = LinkShared({EmitObject(builder, target)}, target);
  artifact.stages = emitted.stages;
  artifact.operands = schedule.Operands(w, config, epilogue);

  const Tensor x = Random8(DType::kUInt8, w.data, 1), weight = Random8(DType::kInt8, w.weight, 2);
  Tensor scale(DType::kFloat32, {32}), bias(DType::kFloat32, {32});
  for (int64_t n = 0; n < 32; ++n) {
    scale.Set(n, 0.001 * static_cast<double>(n + 1));
    bias.Set(n, static_cast<double>(n % 5) - 2);
  }
  const Tensor y = testing::RunArtifact(artifact, {x, weight, scale, bias}).at(0);
  ASSERT_EQ(y.dtype(), DType::kUInt8);
  int64_t between = 0;
  for (int64_t i = 0; i < y.elements(); ++i) {
    EXPECT_EQ(y.At(i), Expected(x, weight, scale, bias, epilogue, i / 32, i % 32)) << i;
    between += y.At(i) > 3 && y.At(i) < 255;
  }
  EXPECT_GT(between, 32) << "the numbers tell nothing";
}

}  // namespace
}  // namespace hone
