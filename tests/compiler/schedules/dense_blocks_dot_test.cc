// Weights in blocks times rows of bytes on x86 without VNNI, whose instruction for pairs of bytes saturates.
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
using ::testing::Not;

Target WithoutVnni() { return ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=haswell"); }

// Blocks with and without parts, the last one perhaps partial.
Workload RandomBlocks(Random& r) {
  BlockFormat format;
  format.bits = int64_t{2} << r.Below(3);
  format.block = format.per_word() * Between(r, 1, 40);
  format.zeros = r.Below(2) == 1;
  const int64_t k = Between(r, 1, 700);
  Workload w;
  w.op = "nn.dense_blocks";
  w.types.weight = DType::kInt32;
  w.layouts = format.ToText();
  w.data = {Between(r, 1, 12), k};
  w.weight = {Between(r, 1, 70), format.Words(k)};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

// Rows of the largest bytes alone, of either sign, and in half of the rounds weights of one extreme.
std::vector<Tensor> ExtremeInputs(const std::vector<KernelOperand>& operands, Random& r) {
  std::vector<Tensor> inputs = testing::RandomInputs(operands, r.Below(1000));
  const bool one_sign = r.Below(2) == 0, one_weight = r.Below(2) == 0;
  const double weights = r.Below(2) == 0   ? -2004318072
                         : r.Below(2) == 0 ? 2004318071
                                           : -2139062144;  // 0x888.., 0x777.., 0x808..
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandRole role = operands[i].role;
    for (int64_t e = 0; e < inputs[i].elements(); ++e) {
      if (role == OperandRole::kData) inputs[i].Set(e, one_sign || r.Below(2) == 0 ? 1 : -1);
      if (role == OperandRole::kWeight && one_weight) inputs[i].Set(e, weights);
    }
  }
  return inputs;
}

TEST(DenseBlocksDot, IsExactForExtremesWithoutVnni) {
  const Target target = WithoutVnni();
  if (!MissingFeature(target).empty()) GTEST_SKIP() << "this machine has no " << MissingFeature(target);
  const MachineModel machine = MachineModelFor(target);
  Random random(1);
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    Workload w = RandomBlocks(random);
    w.types.accumulator = DType::kInt32;
    SCOPED_TRACE(w.ToText());
    const Artifact reference = CompileReference(w, target);
    const std::vector<Tensor> inputs = ExtremeInputs(reference.operands, random);
    const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
    const Config config = testing::ValidConfig(DenseBlocksDot(), w, machine, random);
    const auto compiled = CompileKernel({w, "dense_blocks_dot", config, target});
    ASSERT_TRUE(std::holds_alternative<Artifact>(compiled));
    for (const int64_t piece : {0, 3}) {
      const Tensor y = testing::RunArtifact(std::get<Artifact>(compiled), inputs, piece).at(0);
      double worst = 0;
      for (int64_t e = 0; e < y.elements(); ++e) {
        const double error = std::abs(y.At(e) - expected[0].At(e)) / (expected[1].At(e) + 1e-7);
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
      }
      EXPECT_LE(worst, 2e-6) << config.ToText();
    }
  }
}

TEST(DenseBlocksDot, MultipliesPairsOfBytesWithoutVnni) {
  Workload w =
      Workload::Parse("nn.dense_blocks data=512x576 weight=1536x72 blocks=int4x32 dtype=float32,int32,int32,float32");
  const std::string of_4 = CompileAssembly(testing::BestOf(DenseBlocksDot(), w, WithoutVnni()));
  EXPECT_THAT(of_4, HasSubstr("vpmaddubsw"));
  EXPECT_THAT(of_4, Not(HasSubstr("vpsignb")));
  w = Workload::Parse("nn.dense_blocks data=512x576 weight=1536x144 blocks=int8x32 dtype=float32,int32,int32,float32");
  EXPECT_THAT(CompileAssembly(testing::BestOf(DenseBlocksDot(), w, WithoutVnni())), HasSubstr("vpsignb"));
}

}  // namespace
}  // namespace hone
