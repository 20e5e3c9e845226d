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

void ExpectPlanRefused(const std::string& what, const std::function<void(Plan&)>& damage) {
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
  ExpectPlanRefused("arena offset", [](Plan& p) { p.buffers[3].offset_bytes = 64; });
  ExpectPlanRefused("huge arena offset", [](Plan& p) { p.buffers[3].offset_bytes = kMost - 63; });
  ExpectPlanRefused("unaligned offset", [](Plan& p) { p.arena_bytes += 64, p.buffers[3].offset_bytes = 4; });
  ExpectPlanRefused("negative offset", [](Plan& p) { p.buffers[3].offset_bytes = -64; });
  ExpectPlanRefused("small arena", [](Plan& p) { p.arena_bytes = 64; });
  ExpectPlanRefused("negative arena", [](Plan& p) { p.arena_bytes = -1; });
  ExpectPlanRefused("param offset", [](Plan& p) { p.buffers[2].offset_bytes = 64; });
  ExpectPlanRefused("input offset", [](Plan& p) { p.buffers[0].offset_bytes = 64; });
  ExpectPlanRefused("params size", [](Plan& p) { p.params_bytes = 128; });
}

TEST(ValidatePlan, RefusesSizesThatAreNotTheShapes) {
  ExpectPlanRefused("size", [](Plan& p) { p.buffers[0].size_bytes -= 4; });
  ExpectPlanRefused("negative dim", [](Plan& p) { p.buffers[0].shape = {-1, -4096}; });
  ExpectPlanRefused("overflow", [](Plan& p) { p.buffers[0].shape = {kMost, kMost}; });
  ExpectPlanRefused("layout rank", [](Plan& p) { p.buffers[3].layout = Layout::Parse("NCHW"); });
  ExpectPlanRefused("blocked input", [](Plan& p) { p.buffers[0].layout = Layout::Parse("NC16c"); });
}

TEST(ValidatePlan, RefusesListsThatDoNotFit) {
  ExpectPlanRefused("index", [](Plan& p) { p.inputs = {99}; });
  ExpectPlanRefused("negative", [](Plan& p) { p.inputs = {-1}; });
  ExpectPlanRefused("kind", [](Plan& p) { p.inputs = {3}; });
  ExpectPlanRefused("twice", [](Plan& p) { p.outputs = {1, 1}; });
  ExpectPlanRefused("left out", [](Plan& p) { p.outputs = {}; });
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

void ExpectRangedRefused(const std::string& what, const std::function<void(Plan&)>& damage) {
  Plan plan = testing::RangedPlan();
  damage(plan);
  EXPECT_THROW(ValidatePlan(plan, 64, "model.hone"), Error) << what;
}

TEST(ValidatePlan, RefusesRangesThatDoNotFit) {
  EXPECT_NO_THROW(ValidatePlan(testing::RangedPlan(), 64, "model.hone"));
  ExpectRangedRefused("no ranges", [](Plan& p) { p.ranged.clear(); });
  ExpectRangedRefused("input", [](Plan& p) { p.ranged[0].input = 2; });
  ExpectRangedRefused("negative input", [](Plan& p) { p.ranged[0].input = -1; });
  ExpectRangedRefused("axis", [](Plan& p) { p.ranged[2].axis = 1; });
  ExpectRangedRefused("negative axis", [](Plan& p) { p.ranged[0].axis = -1; });
  ExpectRangedRefused("least", [](Plan& p) { p.ranged[0].least = 65; });
  ExpectRangedRefused("negative least", [](Plan& p) { p.ranged[0].least = -1; });
  ExpectRangedRefused("buffer", [](Plan& p) { p.ranged[0].extent = 6; });
  ExpectRangedRefused("negative buffer", [](Plan& p) { p.ranged[0].extent = -1; });
  ExpectRangedRefused("an output", [](Plan& p) { p.ranged[0].extent = 5; });
  ExpectRangedRefused("the input itself", [](Plan& p) { p.ranged[0].extent = 0; });
  ExpectRangedRefused("a listed extent", [](Plan& p) { p.inputs.push_back(3), p.ranged[0].input = 2; });
  ExpectRangedRefused("type", [](Plan& p) { p.buffers[3].dtype = DType::kInt32, p.buffers[3].size_bytes = 4; });
  ExpectRangedRefused("several", [](Plan& p) { p.buffers[3].shape = {2}, p.buffers[3].size_bytes = 16; });
}

// RangedPlan with a state of up to 16 positions, buffers 6 to 8, and one of a fixed shape, buffers 9 and 10.
Plan StatePlan() {
  Plan plan = testing::RangedPlan();
  const auto add = [&](const char* name, BufferKind kind, DType dtype, const Shape& shape) {
    plan.buffers.push_back({name, kind, dtype, shape, Layout(), ElementCount(shape) * DTypeBytes(dtype), 0});
  };
  add("past", BufferKind::kState, DType::kFloat32, {2, 16, 3});
  add("length", BufferKind::kInput, DType::kInt64, {});
  add("positions", BufferKind::kOutput, DType::kInt64, {});
  add("hidden", BufferKind::kState, DType::kFloat32, {4});
  add("next", BufferKind::kState, DType::kFloat32, {4});
  plan.counted.push_back({-1, 0, 8, 16});
  plan.states = {{6, 6, 1, 7, 8}, {9, 10, -1, -1, -1}};
  return plan;
}

void ExpectStatesRefused(const std::string& what, const std::function<void(Plan&)>& damage) {
  Plan plan = StatePlan();
  damage(plan);
  EXPECT_THROW(ValidatePlan(plan, 64, "model.hone"), Error) << what;
}

TEST(ValidatePlan, RefusesStatesThatDoNotFit) {
  EXPECT_EQ(StatePlan().buffers[6].name, "past");
  EXPECT_NO_THROW(ValidatePlan(StatePlan(), 64, "model.hone"));
  ExpectStatesRefused("no states", [](Plan& p) { p.states.clear(); });
  ExpectStatesRefused("one left out", [](Plan& p) { p.states.pop_back(); });
  ExpectStatesRefused("before", [](Plan& p) { p.states[0].before = 11; });
  ExpectStatesRefused("negative before", [](Plan& p) { p.states[0].before = -1; });
  ExpectStatesRefused("an input", [](Plan& p) { p.states[0].before = p.states[0].after = 0; });
  ExpectStatesRefused("an output after", [](Plan& p) { p.states[1].after = 1; });
  ExpectStatesRefused("another shape", [](Plan& p) { p.states[1].after = 6; });
  ExpectStatesRefused("axis", [](Plan& p) { p.states[0].axis = 3; });
  ExpectStatesRefused("no axis", [](Plan& p) { p.states[0].axis = -1; });
  ExpectStatesRefused("extent", [](Plan& p) { p.states[0].extent = 6; });
  ExpectStatesRefused("no extent", [](Plan& p) { p.states[0].extent = -1; });
  ExpectStatesRefused("an extent among the inputs", [](Plan& p) { p.states[0].extent = p.inputs[0]; });
  ExpectStatesRefused("count", [](Plan& p) { p.states[0].count = 7; });
  ExpectStatesRefused("no count", [](Plan& p) { p.states[0].count = -1; });
  ExpectStatesRefused("no limit", [](Plan& p) { p.counted.back().most = 17; });
  ExpectStatesRefused("a fixed shape with a length", [](Plan& p) { p.states[1].extent = 7; });
  ExpectStatesRefused("twice", [](Plan& p) { p.states.push_back(p.states[0]); });
  ExpectStatesRefused("an offset", [](Plan& p) { p.buffers[6].offset_bytes = 64; });
}

// Two stages of 4096 items; boxes of two axes and of one in the first, and of all items but one in the second.
Plan BoxedPlan() {
  Plan plan = testing::RangedPlan();
  plan.kernels[0].stages = {{"show", 4096, 1, 0}, {"show_1", 4096, 1, 0}};
  plan.calls[0].boxes = {
      {0, 0, {{4, 3, 1, 16}, {512, -1, 1, 1}}}, {0, 2048, {{2048, 4, 3, 2}}}, {1, 1, {{4095, 3, 1, 1}}}};
  return plan;
}

void ExpectVariantsRefused(const std::string& what, const std::function<void(CallVariant&)>& damage) {
  Plan plan = testing::VariedPlan();
  damage(plan.calls[0].variants[0]);
  EXPECT_THROW(ValidatePlan(plan, 64, "model.hone"), Error) << what;
}

TEST(ValidatePlan, RefusesVariantsThatDoNotFit) {
  EXPECT_NO_THROW(ValidatePlan(testing::VariedPlan(), 64, "model.hone"));
  EXPECT_NO_THROW(ValidatePlan(
      [] {
        Plan plan = testing::VariedPlan();
        plan.calls[0].variants[0].boxes = {{0, 0, {{1, 3, 1, 1}}}};
        return plan;
      }(),
      64, "model.hone"));
  ExpectVariantsRefused("kernel", [](CallVariant& v) { v.kernel = 2; });
  ExpectVariantsRefused("negative kernel", [](CallVariant& v) { v.kernel = -1; });
  ExpectVariantsRefused("no limits", [](CallVariant& v) { v.limits.clear(); });
  ExpectVariantsRefused("no extent", [](CallVariant& v) { v.limits[1].extent = 0; });
  ExpectVariantsRefused("negative extent", [](CallVariant& v) { v.limits[1].extent = -1; });
  ExpectVariantsRefused("buffer", [](CallVariant& v) { v.limits[0].extent = 6; });
  ExpectVariantsRefused("boxes", [](CallVariant& v) { v.boxes = {{0, 0, {{2, 3, 1, 1}}}}; });
}

TEST(ValidatePlan, RefusesParametersOfVariantsThatDoNotFit) {
  Plan plan = testing::VariedPlan();
  const int param = static_cast<int>(plan.buffers.size());
  plan.buffers.push_back({"w", BufferKind::kParam, DType::kFloat32, {1}, Layout(), 4, 0});
  std::vector<PlanView>& operands = plan.calls[0].operands;
  operands.insert(operands.begin(), PlanView{param});
  const auto with = [&](int operand, int buffer) {
    Plan given = plan;
    given.calls[0].variants[0].params = {{operand, buffer}};
    ValidatePlan(given, 64, "model.hone");
  };
  EXPECT_NO_THROW(with(0, param));
  EXPECT_THROW(with(static_cast<int>(operands.size()), param), Error);
  EXPECT_THROW(with(-1, param), Error);
  EXPECT_THROW(with(1, param), Error) << "the operand is no parameter";
  EXPECT_THROW(with(0, param + 1), Error);
  EXPECT_THROW(with(0, -1), Error);
  EXPECT_THROW(with(0, operands.back().buffer), Error) << "the buffer is no parameter";
}

void ExpectBoxesRefused(const std::string& what, const std::function<void(std::vector<ItemBox>&)>& damage) {
  Plan plan = BoxedPlan();
  damage(plan.calls[0].boxes);
  EXPECT_THROW(ValidatePlan(plan, 64, "model.hone"), Error) << what;
}

TEST(ValidatePlan, RefusesBoxesThatDoNotFit) {
  EXPECT_NO_THROW(ValidatePlan(BoxedPlan(), 64, "model.hone"));
  ExpectBoxesRefused("stage", [](auto& b) { b[2].stage = 2; });
  ExpectBoxesRefused("negative stage", [](auto& b) { b[0].stage = -1; });
  ExpectBoxesRefused("first", [](auto& b) { b[2].first = 2; });
  ExpectBoxesRefused("negative first", [](auto& b) { b[0].first = -1; });
  ExpectBoxesRefused("no axes", [](auto& b) { b[0].axes.clear(); });
  ExpectBoxesRefused("no items", [](auto& b) { b[0].axes[1].items = 0; });
  ExpectBoxesRefused("negative items", [](auto& b) { b[0].axes[0].items = b[0].axes[1].items = -1; });
  ExpectBoxesRefused("too many items", [](auto& b) { b[2].axes[0].items = 4096; });
  ExpectBoxesRefused("overflow", [](auto& b) { b[0].axes[0].items = b[0].axes[1].items = int64_t{1} << 33; });
  ExpectBoxesRefused("overlap", [](auto& b) { b[1].first = 2047; });
  ExpectBoxesRefused("order", [](auto& b) { std::swap(b[0], b[1]); });
  ExpectBoxesRefused("order of stages", [](auto& b) { std::swap(b[1], b[2]); });
  ExpectBoxesRefused("buffer", [](auto& b) { b[0].axes[0].extent = 6; });
  ExpectBoxesRefused("negative buffer", [](auto& b) { b[0].axes[0].extent = -2; });
  ExpectBoxesRefused("a tensor", [](auto& b) { b[0].axes[0].extent = 0; });
  ExpectBoxesRefused("scale", [](auto& b) { b[0].axes[0].scale = 0; });
  ExpectBoxesRefused("huge scale", [](auto& b) { b[0].axes[0].scale = kMost; });
  ExpectBoxesRefused("plus of version 1", [](auto& b) { b[0].axes[0].plus = 1; });
  ExpectBoxesRefused("step", [](auto& b) { b[0].axes[0].step = 0; });
  ExpectBoxesRefused("negative step", [](auto& b) { b[0].axes[0].step = -1; });
}

TEST(ValidatePlan, RefusesCallsAndKernelsThatDoNotFit) {
  ExpectPlanRefused("kernel", [](Plan& p) { p.calls[0].kernel = 2; });
  ExpectPlanRefused("kernel sign", [](Plan& p) { p.calls[0].kernel = -1; });
  ExpectPlanRefused("view buffer", [](Plan& p) { p.calls[0].operands[0].buffer = 17; });
  ExpectPlanRefused("view offset", [](Plan& p) { p.calls[0].operands[0].offset_bytes = 1 << 20; });
  ExpectPlanRefused("view sign", [](Plan& p) { p.calls[0].operands[0].offset_bytes = -4; });
  ExpectPlanRefused("stride sign", [](Plan& p) { p.calls[0].operands[0].batch_stride_bytes = -4; });
  ExpectPlanRefused("writes a parameter", [](Plan& p) { p.calls[0].operands[2] = {2, 0, 0}; });
  ExpectPlanRefused("writes an input", [](Plan& p) { p.calls[0].operands[2] = {0, 0, 0}; });
  ExpectPlanRefused("no operands", [](Plan& p) { p.calls[0].operands.clear(); });
  ExpectPlanRefused("no stages", [](Plan& p) { p.kernels[0].stages.clear(); });
  ExpectPlanRefused("grain", [](Plan& p) { p.kernels[0].stages[0].grain = 0; });
  ExpectPlanRefused("extent", [](Plan& p) { p.kernels[0].stages[0].extent = -1; });
  ExpectPlanRefused("workspace", [](Plan& p) { p.kernels[1].shared_workspace_bytes = kMost; });
}

TEST(ValidatePlan, RefusesANewerVersion) {
  ExpectPlanRefused("version", [](Plan& p) { p.version = kPlanVersion + 1; });
}

}  // namespace
}  // namespace hone
