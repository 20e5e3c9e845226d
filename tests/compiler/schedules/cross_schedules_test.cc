// Every schedule on every vector instruction set of other architectures, over random shapes and configs, under
// qemu-user.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "tests/support/asked_count.h"
#include "tests/support/emulated_kernel.h"
#include "tests/support/emulated_program.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

struct Draw {
  const char* name;
  std::function<Workload(Random&)> workload;
};

// Products of pairs where there are any, and of single ones else.
template <Workload (*kDraw)(Random&)>
Workload OfBFloat16(Random& random) {
  Workload w = kDraw(random);
  const bool pairs = !w.is_depthwise() && w.weight[1] % 2 == 0;
  w.types = FloatTypes(DType::kBFloat16, pairs ? DType::kBFloat16 : DType::kFloat32, DType::kBFloat16);
  return w;
}

const std::vector<Draw>& Draws() {
  static const std::vector<Draw> draws = {{"conv", testing::RandomConv},
                                          {"three_by_three", testing::RandomThreeByThree},
                                          {"pointwise", testing::RandomPointwise},
                                          {"prologue", testing::RandomPrologue},
                                          {"depthwise", testing::RandomDepthwise},
                                          {"dense", testing::RandomDense},
                                          {"batch_matmul", testing::RandomBatchMatmul},
                                          {"bfloat16 pointwise", OfBFloat16<testing::RandomPointwise>},
                                          {"bfloat16 depthwise", OfBFloat16<testing::RandomDepthwise>},
                                          {"bfloat16 dense", OfBFloat16<testing::RandomDense>}};
  return draws;
}

struct CrossTarget {
  const char* name;
  const char* text;
};

const CrossTarget kTargets[] = {
    {"neon", "cortex-a72"},
    {"dotprod", "cortex-a76"},
    {"i8mm", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+i8mm"},
    {"bf16", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+bf16"},
    {"armv7", "cortex-a15"},
    {"armv7_nofma", "cortex-a9"},
    {"rv64gc", "rv64gc"},
    {"rvv128", "rv64gcv"},
    {"rvv256", "rv64gcv_zvl256b"},
    {"rvv512", "rv64gcv_zvl512b"},
};

class CrossSchedules : public ::testing::TestWithParam<CrossTarget> {};

void ExpectRight(const Candidate& candidate, uint64_t seed) {
  SCOPED_TRACE(candidate.workload.ToText() + " | " + candidate.schedule + " " + candidate.config.ToText());
  const Workload& w = candidate.workload;
  const CompiledKernel kernel = CompileAnchorObject(candidate, CanonicalEpilogue(w));
  const Artifact reference = CompileReference(w, HostTarget());
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : reference.operands) {
    if (operand.role == OperandRole::kOutput) break;
    FillTensor(inputs.emplace_back(operand.dtype, operand.shape), Fill::kNormal, seed + inputs.size());
  }
  const Tensor got = testing::RunEmulated(kernel, candidate.target, inputs);
  const auto expected = testing::RunArtifact(reference, inputs);
  const double tolerance = FindSchedule(candidate.schedule)->tolerance();
  constexpr double kHalfLastPlace = 1.0 / 256;
  const double rounding = got.dtype() == DType::kBFloat16 ? kHalfLastPlace : 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double bound = tolerance * expected[1].At(i) + rounding * std::fabs(expected[0].At(i)) + 1e-7;
    ASSERT_NEAR(got.At(i), expected[0].At(i), bound) << "at " << i;
  }
}

TEST_P(CrossSchedules, ComputeWhatTheReferenceDoes) {
  const Target target = ResolveTarget(GetParam().text);
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  const MachineModel machine = MachineModelFor(target);
  Random random(17);
  int checked = 0;
  for (int round = 0; round < AskedCount(1); ++round) {
    for (const Draw& draw : Draws()) {
      SCOPED_TRACE(draw.name);
      const Workload w = draw.workload(random);
      for (const Schedule* schedule : SchedulesFor(w, machine)) {
        const Config config = testing::ValidConfig(*schedule, w, machine, random);
        ExpectRight({w, std::string(schedule->name()), config, target}, 3);
        if (HasFailure()) return;
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, static_cast<int>(Draws().size()));
  RecordProperty("checked", checked);  // bench/cross prints it
}

INSTANTIATE_TEST_SUITE_P(Targets, CrossSchedules, ::testing::ValuesIn(kTargets),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace
}  // namespace hone
