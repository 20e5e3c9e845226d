// Every schedule with one operand of half float32's size: addresses and strides follow the workload's element types.
// The test calls the emitters even of schedules that reject such workloads.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

// bfloat16 rounds by at most half of this. A value that is rounded twice, as inputs behind a prologue, is off by at
// most this.
constexpr double kTolerance = 1.0 / 256;

Artifact Compiled(const Schedule& schedule, const Workload& w, const Config& config, const Target& target) {
  const MachineModel machine = MachineModelFor(target);
  const Epilogue epilogue = CanonicalEpilogue(w);
  KernelBuilder builder(target, machine);
  const EmittedKernel emitted = schedule.Emit(builder, w, machine, config, epilogue, "k");
  Artifact artifact;
  artifact.elf = LinkShared({EmitObject(builder, target)}, target);
  artifact.stages = emitted.stages;
  artifact.shared_workspace_bytes = emitted.shared_workspace_bytes;
  artifact.operands = schedule.Operands(w, config, epilogue);
  return artifact;
}

void Check(const Schedule& schedule, const Workload& w, const Config& config, const Target& target) {
  SCOPED_TRACE(w.ToText() + " | " + std::string(schedule.name()) + " " + config.ToText());
  const Artifact reference = CompileReference(w, target);
  const std::vector<Tensor> inputs = testing::RandomInputs(reference.operands, 0);
  const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
  const Tensor got = testing::RunArtifact(Compiled(schedule, w, config, target), inputs)[0];
  ASSERT_EQ(got.dtype(), w.types.output);
  for (int64_t i = 0; i < got.elements(); ++i) {
    ASSERT_NEAR(got.At(i), expected[0].At(i), kTolerance * expected[1].At(i) + 1e-6) << i;
  }
}

void CheckConfigs(const Schedule& schedule, const Workload& w, const Target& target) {
  constexpr int kConfigs = 6;
  const MachineModel machine = MachineModelFor(target);
  const ConfigSpace space = schedule.Space(w, machine);
  Random random(11);
  int checked = 0;
  for (int tries = 0; tries < 2000 && checked < kConfigs && !::testing::Test::HasFailure(); ++tries) {
    const Config config = space.Sample(random);
    if (schedule.Reject(w, machine, config)) continue;
    Check(schedule, w, config, target);
    ++checked;
  }
  EXPECT_EQ(checked, kConfigs);
}

// Extents that no vector length divides.
const std::vector<const char*> kWorkloads{
    "nn.conv2d data=2x37x9x11 weight=35x37x3x3 padding=1x1x1x1 epilogue=residual",
    "nn.conv2d data=1x3x15x15 weight=21x3x5x5 strides=2x2 padding=2x2x2x2 epilogue=bias_act",
    "nn.conv2d data=1x40x7x9 weight=35x40x1x1 epilogue=bias_act prologue=scale_shift_relu",
    "nn.conv2d data=1x37x9x11 weight=37x1x3x3 padding=1x1x1x1 groups=37 epilogue=residual",
    "nn.dense data=5x37 weight=41x37 epilogue=residual",
    "nn.batch_matmul data=3x7x37 weight=3x41x37 layouts=BMK,BNK,BMN",
    "nn.batch_matmul data=3x7x37 weight=3x37x48 layouts=BMK,BKN,BMN"};

// Winograd's weights are transformed when packed, which needs float32; and one schedule takes only bytes.
bool MayPack(const Schedule& schedule, const ElementTypes& types) {
  if (schedule.name() == "conv2d_winograd_int16") return false;
  return types.weight == DType::kFloat32 || schedule.name() != "conv2d_winograd";
}

// Returns the number of pairs of a workload and a schedule.
int CheckEverySchedule(const ElementTypes& types) {
  const Target target = HostTarget();
  int checked = 0;
  for (const char* text : kWorkloads) {
    Workload w = Workload::Parse(text);
    w.types = types;
    for (const Schedule* schedule : AllSchedules()) {
      if (!schedule->Applies(w, MachineModelFor(target)) || !MayPack(*schedule, types)) continue;
      CheckConfigs(*schedule, w, target);
      ++checked;
    }
  }
  return checked;
}

TEST(OperandTypes, DataAreAddressedByTheirOwn) { EXPECT_EQ(CheckEverySchedule({.data = DType::kBFloat16}), 9); }
TEST(OperandTypes, WeightsAreAddressedByTheirOwn) { EXPECT_EQ(CheckEverySchedule({.weight = DType::kBFloat16}), 8); }
TEST(OperandTypes, OutputsAreAddressedByTheirOwn) { EXPECT_EQ(CheckEverySchedule({.output = DType::kBFloat16}), 9); }

TEST(OperandTypes, PartialSumsNeedAnOutputOfTheirType) {
  const MachineModel machine = MachineModelFor(HostTarget());
  const Config config = Config::Parse("oc_block=16 ic_block=16 ic_chunk=1");
  Workload w = Workload::Parse("nn.conv2d data=1x64x8x8 weight=64x64x1x1");
  EXPECT_EQ(FindSchedule("conv2d_direct")->Reject(w, machine, config), std::nullopt);
  w.types.output = DType::kBFloat16;
  EXPECT_TRUE(FindSchedule("conv2d_direct")->Reject(w, machine, config).has_value());
}

}  // namespace
}  // namespace hone
