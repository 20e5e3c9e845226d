#include "runtime/load/match_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"
#include "core/package/package_format.h"
#include "runtime/kernel_launch.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::ReadTestKernels;
using testing::TestPlan;

std::vector<Artifact> Compiled() {
  return ReadKernelTable(KernelLibrary::FromBytes(ReadTestKernels(), "test").Text(kKernelTableSymbol), "test");
}

void ExpectRefused(const std::string& part, const std::function<void(Plan&)>& change) {
  Plan plan = TestPlan();
  change(plan);
  try {
    MatchKernels(plan, Compiled(), "model.hone");
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(MatchKernels, TheTableSaysWhatAKernelWasCompiledFor) {
  const std::vector<Artifact> compiled = Compiled();
  ASSERT_EQ(compiled.size(), 8U);
  EXPECT_EQ(compiled[1].stages, TestPlan().kernels[1].stages);
  EXPECT_EQ(compiled[1].shared_workspace_bytes, 256);
  ASSERT_EQ(compiled[0].operands.size(), 3U);
  EXPECT_EQ(compiled[0].operands[2], (KernelOperand{OperandRole::kOutput, DType::kFloat32, {1, 4096}, {}}));
}

TEST(MatchKernels, AcceptsThePlanItWasCompiledWith) {
  EXPECT_NO_THROW(MatchKernels(TestPlan(), Compiled(), "model.hone"));
}

TEST(MatchKernels, AViewMayBeginAsFarInAsItsImageEndsInside) {
  Plan plan = TestPlan();
  plan.buffers[3].shape = {1, 2 * testing::kTestElements};
  plan.buffers[3].size_bytes *= 2;
  plan.calls[0].operands[2].offset_bytes = testing::kTestElements * 4;
  EXPECT_NO_THROW(MatchKernels(plan, Compiled(), "model.hone"));
}

TEST(MatchKernels, RefusesOtherStages) {
  ExpectRefused("kernel 0: its stages", [](Plan& p) { p.kernels[0].stages[0].extent *= 2; });
  ExpectRefused("kernel 0: its stages", [](Plan& p) { p.kernels[0].stages[0].grain = 1; });
  ExpectRefused("kernel 1: its stages", [](Plan& p) { p.kernels[1].stages.pop_back(); });
  ExpectRefused("kernel 1: its stages", [](Plan& p) { p.kernels[1].stages[1].symbol = "scale"; });
  ExpectRefused("kernel 0: the lib has no 'other'", [](Plan& p) { p.kernels[0].stages[0].symbol = "other"; });
}

TEST(MatchKernels, RefusesOtherWorkspaces) {
  ExpectRefused("kernel 1: its stages or workspaces", [](Plan& p) { p.kernels[1].shared_workspace_bytes = 0; });
  ExpectRefused("kernel 1: its stages or workspaces",
                [](Plan& p) { p.kernels[1].stages[0].worker_workspace_bytes = 0; });
}

TEST(MatchKernels, RefusesOtherOperands) {
  ExpectRefused("call 0: 2 operands; its kernel was compiled for 3",
                [](Plan& p) { p.calls[0].operands.erase(p.calls[0].operands.begin()); });
  ExpectRefused("call 0: 3 operands; its kernel was compiled for 2", [](Plan& p) { p.calls[0].kernel = 1; });
  ExpectRefused("call 0: operand 1: buffer 'w' is int32; the kernel was compiled for float32",
                [](Plan& p) { p.buffers[2].dtype = DType::kInt32; });
  ExpectRefused("call 0: operand 2: buffer 'w' cannot be written", [](Plan& p) { p.calls[0].operands[2].buffer = 2; });
}

TEST(MatchKernels, RefusesVariantsOfOtherOperands) {
  const auto vary = [](Plan& p, int kernel) { p.calls[0].variants = {{kernel, {{0, 1}}, {}}}; };
  ExpectRefused("variant of call 0: 3 operands; its kernel was compiled for 2", [&](Plan& p) { vary(p, 1); });
  Plan plan = TestPlan();
  vary(plan, 0);
  EXPECT_NO_THROW(MatchKernels(plan, Compiled(), "model.hone"));
}

TEST(MatchKernels, RefusesBuffersThatAreTooSmall) {
  ExpectRefused("call 0: operand 2: buffer 'scaled' is too small: the kernel was compiled for float32 1x4096",
                [](Plan& p) { p.buffers[3].size_bytes = 4; });
  ExpectRefused("is too small", [](Plan& p) { p.calls[0].operands[2].offset_bytes = 4; });
  ExpectRefused("is too small", [](Plan& p) { p.calls[0].operands[0].buffer = 2; });
}

TEST(MatchKernels, RefusesStridesThatLeaveTheBuffer) {
  std::vector<Artifact> compiled = Compiled();
  for (KernelOperand& operand : compiled[1].operands) operand.shape = {4, 1024};
  Plan plan = TestPlan();
  for (PlanView& view : plan.calls[1].operands) view.batch_stride_bytes = 4096;
  EXPECT_NO_THROW(MatchKernels(plan, compiled, "model.hone"));
  plan.calls[1].operands[1].batch_stride_bytes = 4100;
  EXPECT_THROW(MatchKernels(plan, compiled, "model.hone"), Error);
  plan.calls[1].operands[1].batch_stride_bytes = 4094;
  EXPECT_THROW(MatchKernels(plan, compiled, "model.hone"), Error);
}

}  // namespace
}  // namespace hone
