#include "compiler/codegen/code_cost.h"

#include <gtest/gtest.h>

#include <functional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/object.h"

namespace hone {
namespace {

const Target kZen3{"x86_64-pc-linux-gnu", "znver3", {}, 0};
constexpr int64_t kBytes = 32;  // eight floats

class CodeCostTest : public testing::Test {
 protected:
  using Body = std::function<void(KernelBuilder& b, const StageArgs& args)>;

  static CodeCost Cost(int64_t extent, const Body& body) {
    KernelBuilder b(kZen3, MachineModelFor(kZen3));
    b.Stage("stage", [&](const StageArgs& args) { body(b, args); });
    return CostOf(b, kZen3, {{"stage", extent, 1, 0}}).at(0);
  }
  // Each item adds 1 to eight floats, `times` times.
  static Body Adding(int64_t times) {
    return [times](KernelBuilder& b, const StageArgs& args) {
      b.For(args.begin, args.end, 1, [&](Value* item) {
        Value* at = b.At(b.Operand(args, 0), b.Mul(item, kBytes));
        b.For(0, times, 1, [&](Value*) { b.Store(b.FAdd(b.Load(at, 8), b.FloatVec(1, 8)), at); });
      });
    };
  }
};

TEST_F(CodeCostTest, CountsAllItemsAndEachIterationOfALoop) {
  const CodeCost one = Cost(1000, Adding(16));
  EXPECT_TRUE(one.known);
  EXPECT_NEAR(Cost(3000, Adding(16)).cycles, 3 * one.cycles, 0.01 * one.cycles);
  EXPECT_NEAR(Cost(1000, Adding(160)).cycles, 10 * one.cycles, one.cycles);
  EXPECT_NEAR(one.bytes, 1000 * 16 * 2 * kBytes, 0.01 * one.bytes + 1000 * 2 * 8);
}

TEST_F(CodeCostTest, DoesNotCountABranchThatIsNeverTaken) {
  const auto guarded = [](int64_t at_least) {
    return [at_least](KernelBuilder& b, const StageArgs& args) {
      b.If(b.ir().CreateICmpSGE(args.end, b.Index(at_least)), [&] { Adding(100)(b, args); });
    };
  };
  EXPECT_LT(Cost(1000, guarded(1001)).cycles, 100);
  EXPECT_NEAR(Cost(1000, guarded(1000)).cycles, Cost(1000, Adding(100)).cycles, 100);
}

TEST_F(CodeCostTest, CountsPartialTiles) {
  constexpr int64_t kTile = 100, kElements = 950, kFloat = 4;
  const auto tiled = [](KernelBuilder& b, const StageArgs& args) {
    Value* out = b.Operand(args, 0);
    b.For(args.begin, args.end, 1, [&](Value* tile) {
      Value* begin = b.Mul(tile, kTile);
      Value* end = b.Min(b.Add(begin, kTile), b.Index(kElements));
      Value* whole = b.Mul(b.Div(b.Sub(end, begin), 8), 8);
      b.For(b.Index(0), whole, 8,
            [&](Value* i) { b.Store(b.FloatVec(1, 8), b.At(out, b.Mul(b.Add(begin, i), kFloat))); });
      b.For(whole, b.Sub(end, begin), 1,
            [&](Value* i) { b.Store(b.Float(1), b.At(out, b.Mul(b.Add(begin, i), kFloat))); });
    });
  };
  const CodeCost cost = Cost(10, tiled);
  EXPECT_TRUE(cost.known);
  EXPECT_NEAR(cost.bytes, kElements * kFloat, 0.2 * kElements * kFloat) << "a rest is taken to be as long as can be";
}

TEST_F(CodeCostTest, IsNotKnownWhereTheDataEndALoop) {
  const auto counted = [](KernelBuilder& b, const StageArgs& args) {
    Value* end = b.LoadAs(b.ir().getInt64Ty(), b.Operand(args, 0));
    b.For(b.Index(0), end, 1, [&](Value* i) { b.Store(b.Float(1), b.At(b.Operand(args, 1), b.Mul(i, 4))); });
  };
  EXPECT_FALSE(Cost(1, counted).known);
}

TEST_F(CodeCostTest, LeavesTheCodeAsItWas) {
  const auto emitted = [](bool looks) {
    KernelBuilder b(kZen3, MachineModelFor(kZen3));
    b.Stage("stage", [&](const StageArgs& args) { Adding(7)(b, args); });
    if (looks) CostOf(b, kZen3, {{"stage", 100, 1, 0}});
    return EmitObject(b, kZen3);
  };
  EXPECT_EQ(emitted(true), emitted(false));
}

}  // namespace
}  // namespace hone
