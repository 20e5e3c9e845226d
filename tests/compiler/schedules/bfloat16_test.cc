// Every schedule with bfloat16 operands against the reference kernel, over random shapes, configs and epilogues.
// Kernels multiply pairs by an instruction where this machine has it, and else widen operands for multiply-adds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/test_targets.h"

namespace hone {
namespace {

// Half of bfloat16's last place, relative to the value.
constexpr double kHalfLastPlace = 1.0 / 256;

const std::vector<ElementTypes> kTypes{FloatTypes(DType::kFloat32, DType::kFloat32, DType::kBFloat16),
                                       FloatTypes(DType::kBFloat16, DType::kFloat32, DType::kFloat32),
                                       FloatTypes(DType::kBFloat16, DType::kFloat32, DType::kBFloat16),
                                       FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kFloat32),
                                       FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kBFloat16)};

void Check(const Candidate& candidate, uint64_t seed) {
  SCOPED_TRACE(candidate.workload.ToText() + " | " + candidate.schedule + " " + candidate.config.ToText() + " | " +
               candidate.target.cpu);
  auto compiled = CompileKernel(candidate);
  ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
  const Artifact reference = CompileReference(candidate.workload, candidate.target);
  const std::vector<Tensor> inputs = testing::RandomInputs(reference.operands, seed);
  const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
  const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), inputs)[0];
  ASSERT_EQ(got.dtype(), candidate.workload.types.output);
  const double tolerance = FindSchedule(candidate.schedule)->tolerance();
  const double rounding = got.dtype() == DType::kBFloat16 ? kHalfLastPlace : 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double bound = tolerance * expected[1].At(i) + rounding * std::fabs(expected[0].At(i)) + 1e-7;
    ASSERT_NEAR(got.At(i), expected[0].At(i), bound) << i;
  }
  const Tensor pieces = testing::RunArtifact(std::get<Artifact>(compiled), inputs, 3)[0];
  EXPECT_EQ(std::memcmp(got.raw(), pieces.raw(), static_cast<size_t>(got.size_bytes())), 0)
      << "the result depends on how the work was cut";
}

// Returns the number of kernels checked.
int CheckRandom(const std::function<Workload(Random&)>& draw, int rounds, uint64_t seed) {
  Random random(seed);
  const std::vector<Target> targets = testing::TestTargets();
  int checked = 0;
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    Workload w = draw(random);
    w.types = kTypes[static_cast<size_t>(round) % kTypes.size()];
    const Target& target = targets[static_cast<size_t>(round) / kTypes.size() % targets.size()];
    const MachineModel machine = MachineModelFor(target);
    for (const Schedule* schedule : AllSchedules()) {
      if (!schedule->Fits(w, machine)) continue;
      Check({w, std::string(schedule->name()), testing::ValidConfig(*schedule, w, machine, random), target}, seed);
      ++checked;
    }
  }
  return checked;
}

TEST(BFloat16Kernels, RandomConvolutions) { EXPECT_GE(CheckRandom(testing::RandomConv, 60, 1), 40); }
TEST(BFloat16Kernels, RandomThreeByThreeConvolutions) {
  EXPECT_GE(CheckRandom(testing::RandomThreeByThree, 60, 2), 80);
}
TEST(BFloat16Kernels, RandomConvolutionsOfFewOutputs) { EXPECT_GE(CheckRandom(testing::RandomFewOutputs, 60, 8), 60); }
TEST(BFloat16Kernels, RandomPointwiseConvolutions) { EXPECT_GE(CheckRandom(testing::RandomPointwise, 60, 3), 60); }
TEST(BFloat16Kernels, RandomDepthwiseConvolutions) { EXPECT_GE(CheckRandom(testing::RandomDepthwise, 60, 4), 36); }
TEST(BFloat16Kernels, RandomDenseLayers) { EXPECT_GE(CheckRandom(testing::RandomDense, 60, 5), 40); }

// Steps are pairs only if K is the last axis of the data and even; other layouts and types between are drawn too.
TEST(BFloat16Kernels, RandomProductsOfComputedMatrices) {
  EXPECT_GE(CheckRandom(testing::RandomBatchMatmul, 60, 8), 35);
}

TEST(BFloat16Kernels, RandomProductsOfPairs) {
  const auto draw = [](Random& r) {
    Workload w;
    do {
      w = testing::RandomBatchMatmul(r);
    } while (w.Extent('K') % 2 != 0 || !w.OperandAxes(0).ends_with('K'));
    return w;
  };
  EXPECT_GE(CheckRandom(draw, 120, 9), 120);
}

// Even and uneven numbers of matrix tiles along K; rows and columns fill no tile.
TEST(BFloat16Kernels, RandomProductsOfLongRows) {
  const auto draw = [](Random& r) {
    Workload w;
    do {
      w = testing::RandomBatchMatmul(r);
      const int64_t K = 16 * (2 + static_cast<int64_t>(r.Below(7)));
      for (int operand : {0, 1}) {
        Shape& shape = operand == 0 ? w.data : w.weight;
        shape[w.OperandAxes(operand).find('K')] = K;
      }
    } while (!w.OperandAxes(0).ends_with('K'));
    return w;
  };
  EXPECT_GE(CheckRandom(draw, 120, 10), 120);
}

TEST(BFloat16Kernels, ProductsInTiles) {
  Workload w = Workload::Parse("nn.batch_matmul data=12x128x64 weight=12x128x64");
  w.types = FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kFloat32);
  const Schedule& tiles = *FindSchedule("batch_matmul_amx");
  const Target target = ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=sapphirerapids");
  EXPECT_NE(CompileAssembly({w, "batch_matmul_amx", Config::Parse("tile_oc=2 tile_m=32"), target}).find("tdpbf16ps"),
            std::string::npos);
  const auto fits = [&](const char* shapes, const Target& machine) {
    Workload other = Workload::Parse(std::string("nn.batch_matmul ") + shapes);
    other.types = w.types;
    return tiles.Fits(other, MachineModelFor(machine));
  };
  EXPECT_TRUE(fits("data=2x4x32 weight=2x7x32", target));
  EXPECT_FALSE(fits("data=2x3x32 weight=2x7x32", target)) << "rows that leave a tile empty";
  EXPECT_TRUE(fits("data=2x4x50 weight=2x7x50", target)) << "a last step that K does not fill";
  EXPECT_FALSE(fits("data=2x4x49 weight=2x7x49", target)) << "no whole pairs";
  EXPECT_FALSE(fits("data=2x32x4 weight=2x7x32 layouts=BKM,BNK,BMN", target)) << "a row is not read as it lies";
  Target without = target;
  without.features = {"-amx-bf16"};
  EXPECT_FALSE(fits("data=2x4x32 weight=2x7x32", without));
}

TEST(BFloat16Kernels, ProductsOfComputedMatricesNeedPairs) {
  const MachineModel machine = MachineModelFor(HostTarget());
  const auto fits = [&](const std::string& shapes) {
    Workload w = Workload::Parse("nn.batch_matmul " + shapes);
    w.types = FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kFloat32);
    return FindSchedule("batch_matmul")->Fits(w, machine);
  };
  EXPECT_TRUE(fits("data=2x5x8 weight=2x7x8"));
  EXPECT_TRUE(fits("data=2x5x8 weight=2x8x7 layouts=BMK,BKN,BMN"));
  EXPECT_FALSE(fits("data=2x5x7 weight=2x7x7"));
  EXPECT_FALSE(fits("data=2x8x5 weight=2x7x8 layouts=BKM,BNK,BMN"));
}

TEST(BFloat16Kernels, RandomThinConvolutions) {
  const auto draw = [](Random& r) {
    Workload w = testing::RandomConv(r);
    w.groups = 1;
    w.data[1] = w.weight[1] = 1 + static_cast<int64_t>(r.Below(4));
    return w;
  };
  EXPECT_GE(CheckRandom(draw, 60, 7), 40);
}

// K suits matrix tiles; rows and columns fill no tile.
TEST(BFloat16Kernels, RandomDenseLayersOfWholeSteps) {
  const auto draw = [](Random& r) {
    Workload w = testing::RandomDense(r);
    w.data = {1 + static_cast<int64_t>(r.Below(60)), 32 * (1 + static_cast<int64_t>(r.Below(6)))};
    w.weight[1] = w.data[1];
    return w;
  };
  EXPECT_GE(CheckRandom(draw, 60, 6), 60);
}

// Without pairs, or with only one bfloat16 operand, steps are single products.
TEST(BFloat16Kernels, GroupsOfOddChannelsHaveNoPairs) {
  const MachineModel machine = MachineModelFor(HostTarget());
  Workload w = Workload::Parse("nn.conv2d data=1x6x8x8 weight=6x3x3x3 padding=1x1x1x1 groups=2");
  w.types = FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kBFloat16);
  EXPECT_FALSE(FindSchedule("conv2d_direct")->Fits(w, machine));
  w.types.weight = DType::kFloat32;
  EXPECT_TRUE(FindSchedule("conv2d_direct")->Fits(w, machine));
}

TEST(BFloat16Kernels, WinogradKeepsItsWeightsInFloat32) {
  const MachineModel machine = MachineModelFor(HostTarget());
  Workload w = Workload::Parse("nn.conv2d data=1x16x8x8 weight=16x16x3x3 padding=1x1x1x1");
  w.types = FloatTypes(DType::kBFloat16, DType::kFloat32, DType::kBFloat16);
  EXPECT_TRUE(FindSchedule("conv2d_winograd")->Fits(w, machine));
  w.types.weight = DType::kBFloat16;
  EXPECT_FALSE(FindSchedule("conv2d_winograd")->Fits(w, machine));
}

}  // namespace
}  // namespace hone
