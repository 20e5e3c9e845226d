// Weights in blocks times rows of bfloat16 in tile registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule_list.h"
#include "core/block_format.h"
#include "core/machine/required_features.h"
#include "core/random.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/whole_sums.h"

namespace hone {
namespace {

using testing::Between;
using ::testing::HasSubstr;

Target WithBlockTiles() { return ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=sapphirerapids"); }

// The last tile of rows and the last panel may be partial.
Workload RandomRowsOfBlocks(Random& r) {
  BlockFormat format;
  format.bits = int64_t{2} << r.Below(3);
  format.block = int64_t{16} << r.Below(4);
  format.zeros = r.Below(2) == 1;
  const int64_t k = std::max<int64_t>(32, format.block) * Between(r, 1, 7);
  Workload w;
  w.op = "nn.dense_blocks";
  w.types.weight = DType::kInt32;
  w.layouts = format.ToText();
  w.data = {Between(r, 4, 70), k};
  w.weight = {r.Below(3) == 0 ? Between(r, 1, 90) : 16 * Between(r, 1, 12), format.Words(k)};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

// Random inputs that bfloat16 holds: rows of few bits, and scales that are powers of two.
std::vector<Tensor> NarrowInputs(const std::vector<KernelOperand>& operands, uint64_t seed) {
  std::vector<Tensor> inputs = testing::RandomInputs(operands, seed);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandRole role = operands[i].role;
    for (int64_t e = 0; e < inputs[i].elements(); ++e) {
      if (role == OperandRole::kData) inputs[i].Set(e, std::round(inputs[i].At(e) * 16) / 16);
      if (role == OperandRole::kScale) inputs[i].Set(e, std::exp2(std::round(inputs[i].At(e))));
    }
  }
  return inputs;
}

void ExpectTheSumsOfFloats(Workload w, const Config& config, const Target& target, uint64_t seed) {
  const Artifact reference = CompileReference(w, target);
  const std::vector<Tensor> inputs = NarrowInputs(reference.operands, seed);
  const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
  w.types.accumulator = DType::kInt32;
  const auto compiled = CompileKernel({w, "dense_blocks_amx", config, target});
  ASSERT_TRUE(std::holds_alternative<Artifact>(compiled));
  for (const int64_t piece : {0, 3}) {
    const Tensor y = testing::RunArtifact(std::get<Artifact>(compiled), inputs, piece).at(0);
    double worst = 0;
    for (int64_t e = 0; e < y.elements(); ++e) {
      const double error = std::abs(y.At(e) - expected[0].At(e)) / (expected[1].At(e) + 1e-7);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    EXPECT_LE(worst, 1e-5) << config.ToText();
  }
}

TEST(DenseBlocksAmx, GivesTheSumsOfFloatsThatBFloat16Holds) {
  const Target target = WithBlockTiles();
  if (!MissingFeature(target).empty()) GTEST_SKIP() << "this machine has no " << MissingFeature(target);
  const MachineModel machine = MachineModelFor(target);
  Random random(1);
  for (int round = 0; round < 24 && !HasFailure(); ++round) {
    const Workload w = RandomRowsOfBlocks(random);
    SCOPED_TRACE(w.ToText());
    Workload of_bytes = w;
    of_bytes.types.accumulator = DType::kInt32;
    ASSERT_TRUE(DenseBlocksAmx().Fits(of_bytes, machine));
    const Config config = testing::ValidConfig(DenseBlocksAmx(), of_bytes, machine, random);
    ExpectTheSumsOfFloats(w, config, target, static_cast<uint64_t>(round));
  }
}

TEST(DenseBlocksAmx, IsChosenForManyRowsAndMultipliesInTiles) {
  Workload w =
      Workload::Parse("nn.dense_blocks data=512x576 weight=1536x72 blocks=int4x32 dtype=float32,int32,int32,float32");
  const MachineModel machine = MachineModelFor(WithBlockTiles());
  EXPECT_EQ(AnalyticDefault(w, machine).schedule, &DenseBlocksAmx());
  EXPECT_THAT(CompileAssembly(testing::BestOf(DenseBlocksAmx(), w, WithBlockTiles())), HasSubstr("tdpbf16ps"));
  w.data[0] = 1;
  EXPECT_FALSE(DenseBlocksAmx().Fits(w, machine));
}

}  // namespace
}  // namespace hone
