#include "runtime/load/validate_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/error.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using testing::TestPlan;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

void ExpectRefused(const std::string& what, const std::function<void(Plan&)>& damage) {
  Plan plan = TestPlan();
  damage(plan);
  try {
    ValidatePlan(plan, 64, "model.hone");
    ADD_FAILURE() << what << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData) << what;
  }
}

TEST(ValidatePlan, AcceptsASoundPlan) { EXPECT_NO_THROW(ValidatePlan(TestPlan(), 64, "model.hone")); }

TEST(ValidatePlan, RefusesBuffersOutsideTheirMemory) {
  ExpectRefused("arena offset", [](Plan& p) { p.buffers[3].offset_bytes = 64; });
  ExpectRefused("huge arena offset", [](Plan& p) { p.buffers[3].offset_bytes = kMost - 63; });
  ExpectRefused("unaligned offset", [](Plan& p) { p.arena_bytes += 64, p.buffers[3].offset_bytes = 4; });
  ExpectRefused("negative offset", [](Plan& p) { p.buffers[3].offset_bytes = -64; });
  ExpectRefused("small arena", [](Plan& p) { p.arena_bytes = 64; });
  ExpectRefused("negative arena", [](Plan& p) { p.arena_bytes = -1; });
  ExpectRefused("param offset", [](Plan& p) { p.buffers[2].offset_bytes = 64; });
  ExpectRefused("input offset", [](Plan& p) { p.buffers[0].offset_bytes = 64; });
  ExpectRefused("params size", [](Plan& p) { p.params_bytes = 128; });
}

TEST(ValidatePlan, RefusesSizesThatAreNotTheShapes) {
  ExpectRefused("size", [](Plan& p) { p.buffers[0].size_bytes -= 4; });
  ExpectRefused("negative dim", [](Plan& p) { p.buffers[0].shape = {-1, -4096}; });
  ExpectRefused("overflow", [](Plan& p) { p.buffers[0].shape = {kMost, kMost}; });
  ExpectRefused("layout rank", [](Plan& p) { p.buffers[3].layout = Layout::Parse("NCHW"); });
  ExpectRefused("blocked input", [](Plan& p) { p.buffers[0].layout = Layout::Parse("NC16c"); });
}

TEST(ValidatePlan, RefusesListsThatDoNotFit) {
  ExpectRefused("index", [](Plan& p) { p.inputs = {99}; });
  ExpectRefused("negative", [](Plan& p) { p.inputs = {-1}; });
  ExpectRefused("kind", [](Plan& p) { p.inputs = {3}; });
  ExpectRefused("twice", [](Plan& p) { p.outputs = {1, 1}; });
  ExpectRefused("left out", [](Plan& p) { p.outputs = {}; });
}

void ExpectCountedRefused(const std::string& what, const std::function<void(Plan&)>& damage) {
  Plan plan = testing::CountedPlan();
  damage(plan);
  EXPECT_THROW(ValidatePlan(plan, 64, "model.hone"), Error) << what;
}

TEST(ValidatePlan, RefusesCountsThatDoNotFit) {
  EXPECT_NO_THROW(ValidatePlan(testing::CountedPlan(), 64, "model.hone"));
  ExpectCountedRefused("no count", [](Plan& p) { p.counted.clear(); });
  ExpectCountedRefused("axis", [](Plan& p) { p.counted[0].axis = 2; });
  ExpectCountedRefused("most", [](Plan& p) { p.counted[0].most = 65; });
  ExpectCountedRefused("the output itself", [](Plan& p) { p.counted[0].count = 1; });
  ExpectCountedRefused("an input", [](Plan& p) { p.counted[0].count = 0; });
  ExpectCountedRefused("type", [](Plan& p) { p.buffers[2].dtype = DType::kFloat32, p.buffers[2].size_bytes = 4; });
  ExpectCountedRefused("several", [](Plan& p) { p.buffers[2].shape = {2}, p.buffers[2].size_bytes = 16; });
}

TEST(ValidatePlan, RefusesCallsAndKernelsThatDoNotFit) {
  ExpectRefused("kernel", [](Plan& p) { p.calls[0].kernel = 2; });
  ExpectRefused("kernel sign", [](Plan& p) { p.calls[0].kernel = -1; });
  ExpectRefused("view buffer", [](Plan& p) { p.calls[0].operands[0].buffer = 17; });
  ExpectRefused("view offset", [](Plan& p) { p.calls[0].operands[0].offset_bytes = 1 << 20; });
  ExpectRefused("view sign", [](Plan& p) { p.calls[0].operands[0].offset_bytes = -4; });
  ExpectRefused("stride sign", [](Plan& p) { p.calls[0].operands[0].batch_stride_bytes = -4; });
  ExpectRefused("writes a parameter", [](Plan& p) { p.calls[0].operands[2] = {2, 0, 0}; });
  ExpectRefused("writes an input", [](Plan& p) { p.calls[0].operands[2] = {0, 0, 0}; });
  ExpectRefused("no operands", [](Plan& p) { p.calls[0].operands.clear(); });
  ExpectRefused("no stages", [](Plan& p) { p.kernels[0].stages.clear(); });
  ExpectRefused("grain", [](Plan& p) { p.kernels[0].stages[0].grain = 0; });
  ExpectRefused("extent", [](Plan& p) { p.kernels[0].stages[0].extent = -1; });
  ExpectRefused("workspace", [](Plan& p) { p.kernels[1].shared_workspace_bytes = kMost; });
}

TEST(ValidatePlan, RefusesANewerVersion) {
  ExpectRefused("version", [](Plan& p) { p.version = 2; });
}

}  // namespace
}  // namespace hone
