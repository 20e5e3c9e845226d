// Kernels of AMX's tile registers where candidates and packages run: in an executor's sandboxed children, which need
// permission for the registers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "rpc_runner/local_runner.h"

namespace hone {
namespace {

Target WithTiles() { return ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=sapphirerapids"); }

KernelJob TileJob(int threads) {
  Workload w = Workload::Parse("nn.conv2d data=1x70x14x14 weight=40x70x3x3 padding=1x1x1x1 epilogue=residual");
  w.types = ByteTypes(DType::kUInt8);
  const Config config = Config::Parse("oc_block=64 ic_block=64 tile_oc=2 tile_ow=32 tile_oh=2");
  KernelJob job;
  job.artifact = std::get<Artifact>(CompileKernel({w, "conv2d_amx", config, WithTiles()}));
  job.reference = CompileReference(w, WithTiles());
  job.seeds = {1, 2};
  job.timing.min_sample_ns = 1000;
  job.timing.max_samples = 5;
  job.timing.threads = threads;
  return job;
}

TEST(TileKernels, AreMeasuredByARunner) {
  if (!MissingFeature(WithTiles()).empty()) GTEST_SKIP() << "this machine has no " << MissingFeature(WithTiles());
  LocalRunner runner({});
  for (int threads = 1; threads <= std::min(runner.Describe().cores, 2); ++threads) {
    runner.Submit(TileJob(threads));
    JobResult result;
    ASSERT_TRUE(runner.Wait(-1, &result));
    EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
    EXPECT_EQ(result.measurement.worst_error, 0);
  }
}

// An executor checks a candidate's required features before it runs any of it.
TEST(TileKernels, AreRefusedWhereTheyCannotRun) {
  KernelJob job = TileJob(1);
  EXPECT_THAT(job.artifact.required_features, ::testing::IsSupersetOf({"amx-int8", "amx-tile"}));
  job.artifact.required_features.emplace_back("amx-complex");
  LocalRunner runner({});
  runner.Submit(std::move(job));
  JobResult result;
  ASSERT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.measurement.fate, Fate::kUnsupported);
  EXPECT_THAT(result.measurement.message, ::testing::ContainsRegex("it needs (amx-|avx512)"));
}

}  // namespace
}  // namespace hone
