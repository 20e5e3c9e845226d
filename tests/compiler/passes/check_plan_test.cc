#include "compiler/plan/check_plan.h"

#include <gmock/gmock.h>

#include <functional>

#include "compiler/generic/memory_shape.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/plan/lower.h"
#include "core/error.h"
#include "core/random.h"

namespace hone::testing {
namespace {

using relay::TypePtr;
using ::testing::HasSubstr;

// A plan, and the functions of its calls.
struct Checked {
  Plan plan;
  std::vector<relay::FunctionPtr> functions;

  int Buffer(const Shape& shape, BufferKind kind = BufferKind::kArena) {
    PlanBuffer buffer;
    buffer.kind = kind;
    buffer.shape = shape;
    buffer.size_bytes = 4 * ElementCount(shape);
    if (kind == BufferKind::kOutput) plan.outputs.push_back(static_cast<int>(plan.buffers.size()));
    plan.buffers.push_back(buffer);
    return static_cast<int>(plan.buffers.size()) - 1;
  }
  // Adds a call on views of these shapes; the last one is the result.
  void Call(const std::vector<PlanView>& views, const std::vector<Shape>& shapes, std::vector<int64_t> apart = {}) {
    std::vector<std::shared_ptr<const relay::Var>> params;
    for (size_t i = 0; i + 1 < shapes.size(); ++i) {
      params.push_back(std::make_shared<relay::Var>("p", relay::TensorType(shapes[i])));
    }
    const auto result = std::make_shared<relay::Var>("r", relay::TensorType(shapes.back()));
    const relay::FunctionPtr function = TypedFunction(std::move(params), result);
    functions.push_back(apart.empty() ? function : WithImagesApart(function, std::move(apart)));
    PlanCall call;
    call.op = "op";
    call.operands = views;
    plan.calls.push_back(call);
  }
};

void ExpectWrong(const std::function<void(Checked&)>& damage, Checked checked, const std::string& what) {
  damage(checked);
  try {
    CheckPlan(checked.plan, checked.functions);
    ADD_FAILURE() << "accepted; expected: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBug);
    EXPECT_THAT(error.what(), HasSubstr(what));
  }
}

// Two fields of 2 x 3 written side by side into 2 x 6, which is read as a whole.
Checked JoinedColumns() {
  Checked checked;
  const int x = checked.Buffer({2, 3}, BufferKind::kInput), joined = checked.Buffer({2, 6});
  const int y = checked.Buffer({2, 6}, BufferKind::kOutput);
  checked.Call({{x, 0, 12}, {joined, 0, 24}}, {{2, 3}, {2, 3}}, {1});
  checked.Call({{x, 0, 12}, {joined, 12, 24}}, {{2, 3}, {2, 3}}, {1});
  checked.Call({{joined, 0, 24}, {y, 0, 24}}, {{2, 6}, {2, 6}});
  PlanMemory(checked.plan);
  return checked;
}

TEST(CheckPlan, AcceptsFieldsInTheirSlices) {
  const Checked checked = JoinedColumns();
  EXPECT_NO_THROW(CheckPlan(checked.plan, checked.functions));
}

// A dense layer with a second kernel for few rows.
Checked TwoKernels(const Config& second) {
  Checked checked;
  const int x = checked.Buffer({64, 8}, BufferKind::kInput), w = checked.Buffer({16, 8}, BufferKind::kParam);
  const int y = checked.Buffer({64, 16}, BufferKind::kOutput), rows = checked.Buffer({}, BufferKind::kInput);
  checked.Call({{x, 0, 32}, {w, 0, 32}, {y, 0, 64}}, {{64, 8}, {16, 8}, {64, 16}});
  checked.plan.calls[0].variants = {{0, {{rows, 8}}, {}}};
  auto anchor = std::make_shared<Anchor>();
  anchor->workload = Workload::Parse("nn.dense data=64x8 weight=16x8");
  anchor->choice = {"dense_pack", Config({{"oc_block", 8}, {"tile_m", 4}}), "", "", 0};
  anchor->variants = {{{"dense_pack", second, "", "", 0}, {8, 16}}};
  const relay::Function& function = *checked.functions[0];
  checked.functions[0] = TypedFunction(function.params, function.body, function.attrs, anchor);
  return checked;
}

TEST(CheckPlan, CoversVariants) {
  const Config few({{"oc_block", 8}, {"tile_m", 1}}), wide({{"oc_block", 16}, {"tile_m", 1}});
  ExpectWrong([](Checked&) {}, TwoKernels(wide), "a variant has other operands: oc_block=16");
  const Checked right = TwoKernels(few);
  EXPECT_NO_THROW(CheckPlan(right.plan, right.functions));
  ExpectWrong([](Checked& c) { c.plan.buffers[3].kind = BufferKind::kArena; }, TwoKernels(few),
              "leaves out work by an extent that was not written");
}

TEST(CheckPlan, NamesWhatIsWrittenTwiceOrNever) {
  ExpectWrong([](Checked& c) { c.plan.calls[1].operands[1].offset_bytes = 8; }, JoinedColumns(),
              "call 1, op: writes again");
  ExpectWrong([](Checked& c) { c.plan.calls[1].operands[1].buffer = 2; }, JoinedColumns(),
              "reads memory that was not written");
  ExpectWrong(
      [](Checked& c) { std::swap(c.plan.calls[1], c.plan.calls[2]), std::swap(c.functions[1], c.functions[2]); },
      JoinedColumns(), "reads memory that was not written");
  ExpectWrong([](Checked& c) { c.plan.calls.pop_back(), c.functions.pop_back(); }, JoinedColumns(), "not all written");
}

TEST(CheckPlan, NamesStridesThatDoNotFit) {
  ExpectWrong([](Checked& c) { c.functions[1] = c.functions[2]; }, JoinedColumns(), "lies apart");
  ExpectWrong([](Checked& c) { c.plan.calls[1].operands[1].batch_stride_bytes = 36; }, JoinedColumns(),
              "leaves buffer");
  ExpectWrong([](Checked& c) { c.plan.calls[0].operands[0].buffer = c.plan.calls[0].operands[1].buffer; },
              JoinedColumns(), "reads memory that was not written");
  ExpectWrong([](Checked& c) { c.plan.calls[0].operands[1].buffer = 0; }, JoinedColumns(), "writes to");
}

// Each call reads a few earlier results, whole or a range of their images, and writes a new one.
Checked RandomPlan(uint64_t seed) {
  Random random(seed);
  Checked checked;
  std::vector<Shape> shapes{{4, 16}};
  checked.Buffer(shapes[0], BufferKind::kInput);
  const auto calls = static_cast<int>(1 + random.Below(40));
  for (int i = 0; i < calls; ++i) {
    std::vector<PlanView> views;
    std::vector<Shape> types;
    for (uint64_t k = random.Below(3) + 1; k > 0; --k) {
      const auto from = static_cast<size_t>(std::max(0, i - static_cast<int>(random.Below(6))));
      const auto first = static_cast<int64_t>(random.Below(static_cast<uint64_t>(shapes[from][0])));
      const int64_t stride = 4 * shapes[from][1];
      views.push_back({static_cast<int>(from), first * stride, stride});
      types.push_back({shapes[from][0] - first, shapes[from][1]});
    }
    shapes.push_back({static_cast<int64_t>(1 + random.Below(5)), static_cast<int64_t>(1 + random.Below(600))});
    views.push_back({checked.Buffer(shapes.back()), 0, 4 * shapes.back()[1]});
    types.push_back(shapes.back());
    checked.Call(views, types);
  }
  PlanMemory(checked.plan);
  return checked;
}

TEST(CheckPlan, AcceptsWhatPlanMemoryPlaces) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Checked checked = RandomPlan(seed);
    EXPECT_NO_THROW(CheckPlan(checked.plan, checked.functions));
  }
}

TEST(CheckPlan, NamesABufferOnAnotherThatIsStillNeeded) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Checked checked = RandomPlan(seed);
    if (checked.plan.calls.size() < 2) continue;
    // All buffers overlap, so a call overwrites a value that is still being read.
    for (PlanBuffer& buffer : checked.plan.buffers) buffer.offset_bytes = 0;
    try {
      CheckPlan(checked.plan, checked.functions);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("lies on another that is still needed"));
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 40);
}

}  // namespace
}  // namespace hone::testing
