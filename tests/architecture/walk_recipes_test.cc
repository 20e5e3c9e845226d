// Follows docs/adding.md's recipes: added/ holds new files, and rows for the files that each recipe names. This test's
// program is made of the libraries with those files in place of their own. The tests below, and those that run over the
// tables, find each addition everywhere that it should be known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/activation.h"
#include "core/machine/required_features.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/passes/pass_testing.h"
#include "tests/support/run_kernel.h"
#include "tuner/search/features.h"
#include "tuner/search/strategy.h"

namespace hone::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(Added, AnOperatorIsKnownEvaluatedFusedAndEmitted) {
  const relay::OpDef* op = relay::FindOp("triple");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->reference({Tensor::Scalar(2.0F)}, {}).at(0).At(0), 6);
  const relay::ExprPtr x = Param("x", {3, 17});
  CheckFunction(Function({x}, relay::MakeCall("triple", {relay::MakeCall("exp", {x})})));
}

TEST(Added, AnActivationIsAnOperatorAndGoesIntoEpilogues) {
  ASSERT_NE(ActivationNamed("square"), nullptr);
  const relay::ExprPtr x = Param("x", {2, 9});
  CheckFunction(Function({x}, relay::MakeCall("nn.square", {x})));
  const relay::ExprPtr conv = Conv(Input("data", {1, 16, 8, 8}), 16, 16, 3, 1);
  const relay::IRModule module = ModuleOf(relay::MakeCall("nn.square", {conv}));
  EXPECT_THAT(FunctionNames(RunPassesUntil("fuse", module, TestContext())), Contains("nn.conv2d+nn.square"));
  EXPECT_EQ(Epilogue::Parse("bias,square").ToText(), "bias,square");
}

TEST(Added, AScheduleIsFoundCompilesAndIsRight) {
  const Workload w = Workload::Parse("nn.dense data=5x37 weight=19x37 epilogue=bias_act");
  const Target target = HostTarget();
  const MachineModel machine = MachineModelFor(target);
  const Schedule* schedule = FindSchedule("dense_dots");
  ASSERT_NE(schedule, nullptr);
  EXPECT_THAT(SchedulesFor(w, machine), Contains(schedule));
  const Artifact reference = CompileReference(w, target);
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : reference.operands) {
    if (operand.role == OperandRole::kOutput) continue;
    inputs.emplace_back(DType::kFloat32, operand.shape);
    FillTensor(inputs.back(), Fill::kNormal, inputs.size());
  }
  const std::vector<Tensor> expected = RunArtifact(reference, inputs);
  const ConfigSpace space = schedule->Space(w, machine);
  EXPECT_EQ(space.size(), 3);
  for (int64_t i = 0; i < space.size(); ++i) {
    const auto compiled = CompileKernel({w, "dense_dots", space.At(i), target});
    ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
    const Tensor got = RunArtifact(std::get<Artifact>(compiled), inputs).at(0);
    for (int64_t e = 0; e < got.elements(); ++e) {
      ASSERT_NEAR(got.At(e), expected[0].At(e), 2e-6 * expected[1].At(e) + 1e-7) << space.At(i).ToText();
    }
  }
}

TEST(Added, AByteDotInstructionIsChosenRequiredAndEmitted) {
  const Workload w = Workload::Parse("nn.dense data=5x64 weight=32x64 dtype=uint8,int8,int32,int32");
  const Target target{"x86_64-pc-linux-gnu", "x86-64-v3", {"+avxvnniint8"}, 0};
  const MachineModel machine = MachineModelFor(target);
  EXPECT_EQ(machine.byte_dots, ByteDots::kSignedFours);
  EXPECT_THAT(RequiredFeatures(machine, w.types), Contains("avxvnniint8"));
  const DefaultConfig found = AnalyticDefault(w, machine);
  EXPECT_THAT(CompileAssembly({w, std::string(found.schedule->name()), found.config, target}),
              ::testing::HasSubstr("vpdpbssd"));
}

TEST(Added, AKnobIsInSpaceRefusalsAndFeatures) {
  const Workload w = Workload::Parse("nn.conv2d data=1x32x14x14 weight=32x1x3x3 padding=1x1x1x1 groups=32");
  const MachineModel machine = MachineModelFor(HostTarget());
  const Schedule* schedule = FindSchedule("conv2d_depthwise");
  const ConfigSpace space = schedule->Space(w, machine);
  const auto knob =
      std::find_if(space.knobs().begin(), space.knobs().end(), [](const Knob& k) { return k.name == "trial_knob"; });
  ASSERT_NE(knob, space.knobs().end());
  EXPECT_THAT(knob->values, ElementsAre(2, 4));
  Config config = space.At(0);
  config.Set("trial_knob", 3);
  EXPECT_THAT(schedule->Reject(w, machine, config).value_or(""), ::testing::HasSubstr("trial_knob"));
  EXPECT_THAT(KnobColumns(), Contains("trial_knob"));
}

TEST(Added, APassRunsAtItsPlace) {
  const relay::ExprPtr x = Input("x", {2, 3});
  const relay::IRModule module = ModuleOf(relay::MakeCall("abs", {relay::MakeCall("abs", {x})}));
  EXPECT_EQ(CountOf(RunPassesUntil("drop_empty", module, TestContext()), "abs"), 2);
  const relay::IRModule after = RunPassesUntil("drop_double_abs", module, TestContext());
  EXPECT_EQ(CountOf(after, "abs"), 1);
  ExpectSameMeaning(module, after);
}

TEST(Added, AStrategyIsListed) { EXPECT_EQ(FindStrategy("backwards").name, "backwards"); }

}  // namespace
}  // namespace hone::testing
