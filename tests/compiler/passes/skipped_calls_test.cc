// The proof that no call reads what a run leaves out.
#include "compiler/plan/skipped_calls.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "core/error.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using ::testing::HasSubstr;

// Two calls of one branch, and a `choose` between their result and x.
struct Branch {
  enum Buffers : int { kX, kTaken, kNotTaken, kFirst, kSecond, kResult };
  Plan plan;
  std::vector<relay::FunctionPtr> functions;

  Branch() {
    for (const BufferKind kind : {BufferKind::kInput, BufferKind::kArena, BufferKind::kArena, BufferKind::kArena,
                                  BufferKind::kArena, BufferKind::kOutput}) {
      PlanBuffer buffer;
      buffer.kind = kind;
      buffer.name = "buffer " + std::to_string(plan.buffers.size());
      buffer.dtype = IsNumber() ? DType::kInt64 : DType::kFloat32;
      buffer.size_bytes = IsNumber() ? 8 : 16;
      plan.buffers.push_back(buffer);
    }
    Add(kX, kTaken);
    Add(kX, kNotTaken);
    Add(kX, kFirst, kTaken);
    Add(kFirst, kSecond, kTaken);
    std::vector<std::shared_ptr<const relay::Var>> params;
    for (const char* name : {"a", "b", "c", "d"}) {
      const bool number = params.size() % 2 == 0;
      params.push_back(
          std::make_shared<relay::Var>(name, number ? relay::TensorType({}, DType::kInt64) : relay::TensorType({4})));
    }
    const ExprPtr body = TypedCall("choose", {params.begin(), params.end()});
    functions.push_back(TypedFunction(std::move(params), body));
    PlanCall choose;
    choose.op = "choose";
    for (const int buffer : {kTaken, kSecond, kNotTaken, kX, kResult}) choose.operands.push_back({buffer});
    plan.calls.push_back(choose);
  }

  std::string Wrong() const {
    try {
      CheckSkips(plan, functions, {});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  bool IsNumber() const { return plan.buffers.size() == kTaken || plan.buffers.size() == kNotTaken; }

  void Add(int from, int to, int guard = -1) {
    const auto param = std::make_shared<relay::Var>("p", relay::TensorType({4}));
    functions.push_back(TypedFunction({param}, std::make_shared<relay::Var>("r", relay::TensorType({4}))));
    PlanCall call;
    call.op = "op";
    call.operands = {{from}, {to}};
    if (guard >= 0) call.boxes = {{0, 0, {{1, guard}, {4}}}};
    plan.calls.push_back(call);
  }
};

TEST(SkippedCalls, ABranchMayBeLeftOutAsAWhole) { EXPECT_EQ(Branch().Wrong(), ""); }

TEST(SkippedCalls, AReaderIsLeftOutWithItsWriter) {
  Branch branch;
  branch.plan.calls[3].boxes.clear();
  EXPECT_THAT(branch.Wrong(), HasSubstr("op reads \"buffer 3\" in runs that do not compute it"));
  branch = Branch();
  branch.plan.calls[3].boxes[0].axes[0].extent = Branch::kNotTaken;
  EXPECT_THAT(branch.Wrong(), HasSubstr("op reads \"buffer 3\""));
}

TEST(SkippedCalls, AChoiceReadsWhatItsConditionComputes) {
  Branch branch;
  std::swap(branch.plan.calls[4].operands[1], branch.plan.calls[4].operands[3]);
  EXPECT_THAT(branch.Wrong(), HasSubstr("choose reads \"buffer 4\""));
}

TEST(SkippedCalls, AResultIsComputedInEachRun) {
  Branch branch;
  branch.plan.buffers[Branch::kSecond].kind = BufferKind::kOutput;
  EXPECT_THAT(branch.Wrong(), HasSubstr("a result reads \"buffer 4\""));
}

}  // namespace
}  // namespace hone::testing
