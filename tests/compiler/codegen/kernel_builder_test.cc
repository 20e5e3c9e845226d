#include "compiler/codegen/kernel_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/object.h"
#include "core/package/kernel_abi.h"
#include "runtime/kernel_launch.h"

namespace hone {
namespace {

// Emits one stage, runs it over [begin, end) on sixteen floats and returns them.
std::vector<float> RunStage(const std::function<void(KernelBuilder&, const StageArgs&)>& body,
                            std::vector<float> memory, int64_t begin = 0, int64_t end = 1) {
  const Target target = HostTarget();
  KernelBuilder b(target, MachineModelFor(target));
  b.Stage("stage", [&](const StageArgs& args) { body(b, args); });
  const KernelLibrary library = KernelLibrary::FromBytes(LinkShared({EmitObject(b, target)}, target), "test");
  memory.resize(16);
  void* operands[] = {memory.data()};
  const int64_t strides[] = {8};
  const hone_kernel_args args{operands, strides, nullptr, nullptr, 0, 1};
  EXPECT_EQ(library.Find("stage")(&args, begin, end), 0);
  return memory;
}

TEST(KernelBuilder, LoopCarriesValuesAndRunsZeroTimesWhenItsBoundsAreEmpty) {
  const auto sum_up_to_end = [](KernelBuilder& b, const StageArgs& args) {
    const Vals total = b.Loop(args.begin, args.end, 1, {b.Float(0.5F)},
                              [&](Value*, const Vals& in) { return Vals{b.FAdd(in[0], b.Float(1))}; });
    b.Store(total[0], b.Operand(args, 0));
  };
  EXPECT_EQ(RunStage(sum_up_to_end, {}, 0, 5)[0], 5.5F);
  EXPECT_EQ(RunStage(sum_up_to_end, {}, 3, 3)[0], 0.5F);
  EXPECT_EQ(RunStage(sum_up_to_end, {}, 4, 3)[0], 0.5F);
}

TEST(KernelBuilder, LoopWithConstantBoundsStepsPastTheLast) {
  const auto mark = [](KernelBuilder& b, const StageArgs& args) {
    b.For(1, 8, 3, [&](Value* i) { b.Store(b.Float(9), b.At(b.Operand(args, 0), b.Mul(i, 4))); });
  };
  const std::vector<float> got = RunStage(mark, {});
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 9), (std::vector<float>{0, 9, 0, 0, 9, 0, 0, 9, 0}));
}

TEST(KernelBuilder, IfTakesOneSide) {
  const auto choose = [](KernelBuilder& b, const StageArgs& args) {
    Value* out = b.Operand(args, 0);
    b.If(
        b.ir().CreateICmpSGT(args.end, b.Index(2)), [&] { b.Store(b.Float(1), out); },
        [&] { b.Store(b.Float(2), out); });
  };
  EXPECT_EQ(RunStage(choose, {}, 0, 3)[0], 1);
  EXPECT_EQ(RunStage(choose, {}, 0, 2)[0], 2);
}

TEST(KernelBuilder, BatchStrideIsTheOperandsOwn) {
  const auto second_image = [](KernelBuilder& b, const StageArgs& args) {
    Value* base = b.Operand(args, 0);
    b.Store(b.Float(7), b.At(base, b.Mul(args.begin, b.BatchStride(args, 0))));
  };
  EXPECT_EQ(RunStage(second_image, {}, 2, 3)[4], 7);
}

TEST(KernelBuilder, NanPassesThroughMaxAndMin) {
  const auto clip = [](KernelBuilder& b, const StageArgs& args) {
    Value* memory = b.Operand(args, 0);
    Value* x = b.Load(memory, 4);
    b.Store(b.FMin(b.FMax(x, b.FloatVec(0, 4)), b.FloatVec(6, 4)), memory);
  };
  const std::vector<float> got = RunStage(clip, {NAN, -1, 3, 9});
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], 3);
  EXPECT_EQ(got[3], 6);
}

}  // namespace
}  // namespace hone
