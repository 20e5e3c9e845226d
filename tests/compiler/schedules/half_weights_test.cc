// Dense layers with float16 weights are as exact as those with float32 weights of the same values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "tests/support/emulated_kernel.h"
#include "tests/support/emulated_program.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/test_targets.h"

namespace hone {
namespace {

constexpr int kShapes = 12;

Workload DrawDense(Random& random) {
  const auto up_to = [&](uint64_t most) { return 1 + static_cast<int64_t>(random.Below(most)); };
  const auto rows = up_to(4), in = up_to(90), out = up_to(150);
  Workload w = Workload::Parse(fmt::format("nn.dense data={0}x{1} weight={2}x{1} epilogue={3}", rows, in, out,
                                           random.Below(2) == 0 ? "bias_act" : "residual"));
  w.types = kHalfWeights;
  return w;
}

void ExpectNear(const Tensor& got, const std::vector<Tensor>& expected) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    ASSERT_NEAR(got.At(i), expected[0].At(i), 2e-6 * expected[1].At(i) + 1e-7) << "at " << i;
  }
}

void CheckShapes(const Target& target, const std::function<Tensor(const Candidate&, const std::vector<Tensor>&)>& run) {
  const MachineModel machine = MachineModelFor(target);
  const Schedule& schedule = *FindSchedule("dense_pack");
  Random random(5);
  for (int i = 0; i < kShapes && !::testing::Test::HasFailure(); ++i) {
    const Workload w = DrawDense(random);
    ASSERT_TRUE(schedule.Takes(w.types) && schedule.Applies(w, machine));
    const Config config = testing::ValidConfig(schedule, w, machine, random);
    SCOPED_TRACE(w.ToText() + " | " + config.ToText() + " | " + target.ToText());
    const Artifact reference = CompileReference(w, HostTarget());
    const std::vector<Tensor> inputs = testing::RandomInputs(reference.operands, static_cast<uint64_t>(i));
    ASSERT_EQ(inputs[1].dtype(), DType::kFloat16);
    ExpectNear(run({w, "dense_pack", config, target}, inputs), testing::RunArtifact(reference, inputs));
  }
}

TEST(HalfWeights, AreWidenedExactly) {
  int targets = 0;
  for (const Target& target : testing::TestTargets()) {
    if (MachineModelFor(target).half_loads_feature.empty()) continue;
    ++targets;
    CheckShapes(target, [](const Candidate& candidate, const std::vector<Tensor>& inputs) {
      return testing::RunArtifact(std::get<Artifact>(CompileKernel(candidate)), inputs)[0];
    });
  }
  if (targets == 0) GTEST_SKIP() << "this machine widens no float16";
}

TEST(HalfWeights, AreWidenedExactlyOnAArch64) {
  const Target target = ResolveTarget("cortex-a72");
  if (testing::EmulatorFor(target).empty()) GTEST_SKIP() << "no qemu-user-static on the PATH for " << target.triple;
  CheckShapes(target, [&](const Candidate& candidate, const std::vector<Tensor>& inputs) {
    const CompiledKernel kernel = CompileAnchorObject(candidate, CanonicalEpilogue(candidate.workload));
    return testing::RunEmulated(kernel, target, inputs);
  });
}

TEST(HalfWeights, NeedAnInstructionThatWidensThem) {
  Workload w = Workload::Parse("nn.dense data=1x64 weight=64x64");
  w.types = kHalfWeights;
  for (const char* without : {"x86-64-v2", "cortex-a9", "rv64gcv"}) {
    EXPECT_FALSE(FindSchedule("dense_pack")->Applies(w, MachineModelFor(ResolveTarget(without)))) << without;
  }
  for (const char* with : {"x86-64-v3", "znver4", "neoverse-n1"}) {
    EXPECT_TRUE(FindSchedule("dense_pack")->Applies(w, MachineModelFor(ResolveTarget(with)))) << with;
  }
}

}  // namespace
}  // namespace hone
