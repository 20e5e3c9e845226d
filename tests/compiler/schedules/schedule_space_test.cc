#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

Workload Conv3x3() {
  return Workload::Parse("nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1 epilogue=bias_act");
}

TEST(Schedule, EveryWorkloadHasOne) {
  for (const char* text :
       {"nn.conv2d data=1x3x224x224 weight=64x3x7x7 strides=2x2 padding=3x3x3x3",
        "nn.conv2d data=2x30x9x9 weight=60x10x3x3 groups=3", "nn.dense data=1x2048 weight=1000x2048",
        "nn.dense_blocks data=1x70 weight=9x9 blocks=int4x32,zeros dtype=float32,int32,float32,float32",
        "nn.batch_matmul data=1x1x5 weight=1x1x5", "nn.batch_matmul data=3x1x70 weight=3x21x70",
        "nn.batch_matmul data=5x1x3 weight=5x1x9 layouts=BKM,BKN,BMN",
        "nn.conv2d data=1x8x9x9 weight=16x1x3x3 groups=8", "nn.conv2d data=1x8x9x9 weight=8x1x3x3 groups=8"}) {
    for (const char* cpu : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
      Target target = HostTarget();
      target.cpu = cpu;
      target.features.clear();
      const DefaultConfig chosen = AnalyticDefault(Workload::Parse(text), MachineModelFor(target));
      EXPECT_NE(chosen.schedule, nullptr) << text << " on " << cpu;
    }
  }
}

TEST(Schedule, RejectsWithAReasonBeforeCompiling) {
  const Workload w = Conv3x3();
  const Target target = HostTarget();
  const MachineModel machine = MachineModelFor(target);
  const Schedule& direct = *FindSchedule("conv2d_direct");
  for (const char* text : {"tile_ow=9999", "oc_block=0", "colour=3", "oc_block=16 ic_block=16 tile_ow=60",
                           "oc_block=16 ic_block=16 unroll_ic=3", "oc_block=16 ic_block=16 tile_oh=2",
                           "oc_block=16 ic_block=16 ic_chunk=1 loop_order=1"}) {
    EXPECT_TRUE(direct.Reject(w, machine, Config::Parse(text)).has_value()) << text;
    auto result = CompileKernel({w, "conv2d_direct", Config::Parse(text), target});
    ASSERT_TRUE(std::holds_alternative<Rejection>(result));
    EXPECT_EQ(std::get<Rejection>(result).fate, Fate::kInvalidConfig);
  }
}

TEST(Schedule, OfOneRowOfColdWeightsFetchesThemAheadOnSeveralThreads) {
  Target target = HostTarget();
  target.cpu = "x86-64-v4";
  target.features.clear();
  const auto fetched = [&](const std::string& fields, int threads) {
    const Workload workload = Workload::Parse("nn.dense " + fields);
    return AnalyticDefault(workload, MachineModelFor(target, threads)).config.Get("prefetch", 0);
  };
  EXPECT_EQ(fetched("data=1x9216 weight=4096x9216", 1), 0);
  EXPECT_GT(fetched("data=1x9216 weight=4096x9216", 2), 0);
  EXPECT_EQ(fetched("data=128x768 weight=768x768", 2), 0);
}

// Rows 12 KiB apart share 16 sets of the second-level cache, with eight ways each; rows of 256 bytes share none.
TEST(Schedule, OfABatchMatmulPacksRowsThatShareSetsOfACache) {
  Target target = HostTarget();
  target.cpu = "x86-64-v3";
  target.features.clear();
  const auto packs = [&](const std::string& shapes) {
    const Workload workload = Workload::Parse("nn.batch_matmul " + shapes + " layouts=BMK,BKN,BMN");
    return AnalyticDefault(workload, MachineModelFor(target)).config.Get("pack", 1);
  };
  EXPECT_EQ(packs("data=1x128x768 weight=1x768x3072"), 1);
  EXPECT_EQ(packs("data=1x16x512 weight=1x512x512"), 1);
  EXPECT_EQ(packs("data=12x128x64 weight=12x64x64"), 0);
  EXPECT_EQ(packs("data=1x1x512 weight=1x512x512"), 0);  // each element is read once
  target.cpu = "emeraldrapids";
  EXPECT_EQ(packs("data=1x512x512 weight=1x512x512"), 1) << "no prefetcher foresees rows of 2 KiB";
}

// Blocks of 16 hold 17 channels as 32.
TEST(Schedule, OfAPointwiseConvolutionRunsAlongPixelsWhereBlocksWouldIdle) {
  Target target = HostTarget();
  target.cpu = "x86-64-v4";
  target.features.clear();
  const auto chosen = [&](const std::string& fields) {
    return AnalyticDefault(Workload::Parse("nn.conv2d " + fields), MachineModelFor(target)).schedule->name();
  };
  EXPECT_EQ(chosen("data=1x17x40x40 weight=17x17x1x1"), "conv2d_pixels");
  EXPECT_EQ(chosen("data=1x240x28x28 weight=240x80x1x1 groups=3"), "conv2d_direct");
  EXPECT_EQ(chosen("data=1x64x56x56 weight=256x64x1x1"), "conv2d_direct");
  EXPECT_EQ(chosen("data=1x17x40x40 weight=17x17x1x1 strides=2x2"), "conv2d_direct");
}

// 257 channels are 17 blocks of 16, which nothing divides.
TEST(Schedule, OfAPrimeNumberOfBlocksTakesSeveralInATile) {
  Target target = HostTarget();
  target.cpu = "x86-64-v4";
  target.features.clear();
  const MachineModel machine = MachineModelFor(target);
  const auto blocks = [&](const std::string& fields) {
    const Workload w = Workload::Parse("nn.conv2d " + fields);
    return AnalyticDefault(w, machine).config.Get("tile_oc", 1);
  };
  EXPECT_GT(blocks("data=1x1x1x8000 weight=257x1x1x512 strides=1x128"), 1);
  const Schedule& direct = *FindSchedule("conv2d_direct");
  const auto rejects = [&](const std::string& fields) {
    const Config config = Config::Parse("oc_block=16 ic_block=16 tile_oc=2 tile_ow=4 unroll_ic=4 ic_chunk=1");
    return direct.Reject(Workload::Parse("nn.conv2d " + fields), machine, config).has_value();
  };
  EXPECT_TRUE(rejects("data=1x64x9x9 weight=176x64x3x3")) << "partial sums have a place for whole tiles alone";
  EXPECT_FALSE(rejects("data=1x64x9x9 weight=192x64x3x3"));
}

TEST(Schedule, OfABatchMatmulFetchesAnOutputThatLeavesTheCaches) {
  Target target = HostTarget();
  target.cpu = "x86-64-v4";
  target.features.clear();
  const auto fetched = [&](const std::string& fields) {
    const Workload workload = Workload::Parse("nn.batch_matmul " + fields);
    return AnalyticDefault(workload, MachineModelFor(target)).config.Get("prefetch", 0);
  };
  EXPECT_EQ(fetched("data=12x1024x64 weight=12x1024x64"), 1);
  EXPECT_EQ(fetched("data=12x128x64 weight=12x128x64"), 0);
}

TEST(Schedule, OfABatchMatmulReadsInPlaceWhereARowHoldsAVector) {
  Target target = HostTarget();
  target.cpu = "x86-64-v3";
  target.features.clear();
  const MachineModel machine = MachineModelFor(target);
  const Schedule& schedule = *FindSchedule("batch_matmul");
  const Config in_place = Config::Parse("oc_block=8 pack=0");
  const auto rejects = [&](const std::string& fields) {
    return schedule.Reject(Workload::Parse("nn.batch_matmul " + fields), machine, in_place).has_value();
  };
  EXPECT_FALSE(rejects("data=2x9x20 weight=2x20x24 layouts=BMK,BKN,BMN"));
  EXPECT_FALSE(rejects("data=2x9x20 weight=2x20x23 layouts=BMK,BKN,BMN"));
  EXPECT_TRUE(rejects("data=2x9x20 weight=2x20x7 layouts=BMK,BKN,BMN"));
  EXPECT_TRUE(rejects("data=2x9x20 weight=2x24x20 layouts=BMK,BNK,BMN"));
}

TEST(Schedule, OfABatchMatmulWithFewRowsPacksNothing) {
  Target target = HostTarget();
  target.cpu = "x86-64-v3";
  target.features.clear();
  const auto chosen = [&](const std::string& fields) {
    return AnalyticDefault(Workload::Parse("nn.batch_matmul " + fields), MachineModelFor(target)).schedule->name();
  };
  EXPECT_EQ(chosen("data=12x1x64 weight=12x448x64"), "batch_matmul_dot");
  EXPECT_EQ(chosen("data=1x4096x256 weight=1x256x1 layouts=BMK,BKN,BMN"), "batch_matmul_dot");
  EXPECT_EQ(chosen("data=12x128x64 weight=12x128x64"), "batch_matmul");
}

TEST(CompileKernel, IsAPureFunctionOfTheCandidate) {
  const Target target = HostTarget();
  const DefaultConfig chosen = AnalyticDefault(Conv3x3(), MachineModelFor(target));
  const Candidate candidate{Conv3x3(), std::string(chosen.schedule->name()), chosen.config, target};
  const auto first = CompileKernel(candidate), second = CompileKernel(candidate);
  EXPECT_EQ(std::get<Artifact>(first), std::get<Artifact>(second));
  Candidate other = candidate;
  other.config.Set("unroll_ic", candidate.config.Get("unroll_ic", 1) == 1 ? 2 : 1);
  EXPECT_NE(std::get<Artifact>(first).object_sha256, std::get<Artifact>(CompileKernel(other)).object_sha256);
}

TEST(CompileKernel, RefusesAnUnknownOrUnfitSchedule) {
  const Target target = HostTarget();
  EXPECT_EQ(std::get<Rejection>(CompileKernel({Conv3x3(), "nope", {}, target})).fate, Fate::kUnsupported);
  EXPECT_EQ(std::get<Rejection>(CompileKernel({Conv3x3(), "dense_pack", {}, target})).fate, Fate::kUnsupported);
}

}  // namespace
}  // namespace hone
