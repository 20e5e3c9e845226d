#include "rpc_runner/executor/job_limits.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/artifact.h"

namespace hone {
namespace {

KernelJob Sample() {
  const KernelOperand x{OperandRole::kData, DType::kFloat32, {2, 20, 3}, Layout::Parse("NCW16c")};
  const KernelOperand w{OperandRole::kWeight, DType::kFloat32, {20}, Layout::Parse("C")};
  const KernelOperand y{OperandRole::kOutput, DType::kFloat32, {2, 20, 3}, Layout::Parse("NCW16c")};
  const KernelOperand exact{OperandRole::kOutput, DType::kFloat64, {2, 20, 3}, Layout::Parse("NCW")};
  KernelJob job;
  job.artifact = {"", "", {{"f", 4, 1, 100}}, {x, w, y}, 50};
  job.reference = {"", "", {{"r", 4, 1, 0}}, {x, w, exact, exact}, 0};
  job.seeds = {1};
  return job;
}

TEST(JobLimits, SizesFollowLayouts) {
  const KernelJob job = Sample();
  EXPECT_EQ(PhysicalBytes(job.artifact.operands[0]), 2 * 2 * 3 * 16 * 4);
  EXPECT_EQ(BatchStrideBytes(job.artifact.operands[0]), 2 * 3 * 16 * 4);
  EXPECT_EQ(BatchStrideBytes(job.artifact.operands[1]), 0);
  EXPECT_EQ(WorkerStrideBytes(job.artifact), 128);
  EXPECT_EQ(NeededBytes(job.artifact, 2), 50 + 2 * 128 + 2 * 768 + 80);
}

TEST(JobLimits, ARightJobPasses) { EXPECT_EQ(CheckJob(Sample(), 1), ""); }

TEST(JobLimits, CodeForAnotherCpuIsNotLoaded) {
  KernelJob job = Sample();
  job.artifact.required_features = {"warp-drive"};
  EXPECT_EQ(CheckJob(job, 1), "the candidate: it needs warp-drive, which this CPU lacks");
  job = Sample();
  job.reference.required_features = {"warp-drive"};
  EXPECT_EQ(CheckJob(job, 1), "the reference: it needs warp-drive, which this CPU lacks");
  job.reference.required_features.assign(1000, "sse2");
  EXPECT_NE(CheckJob(job, 1), "");
}

TEST(JobLimits, EveryWrongNumberIsNamed) {
  const std::vector<std::function<void(KernelJob&)>> damages = {
      [](KernelJob& j) { j.seeds.clear(); },
      [](KernelJob& j) { j.seeds.resize(17); },
      [](KernelJob& j) { j.tolerance = -1; },
      [](KernelJob& j) { j.timing.threads = 2; },
      [](KernelJob& j) { j.timing.threads = 0; },
      [](KernelJob& j) { j.timing.deadline_ns = 0; },
      [](KernelJob& j) { j.timing.memory_bytes = -1; },
      [](KernelJob& j) { j.artifact.stages.clear(); },
      [](KernelJob& j) { j.artifact.stages[0].extent = -1; },
      [](KernelJob& j) { j.artifact.stages[0].grain = 0; },
      [](KernelJob& j) { j.artifact.stages[0].worker_workspace_bytes = INT64_MAX; },
      [](KernelJob& j) { j.artifact.shared_workspace_bytes = -8; },
      [](KernelJob& j) { j.artifact.operands.pop_back(); },
      [](KernelJob& j) { j.artifact.operands.resize(40); },
      [](KernelJob& j) { j.artifact.operands[0].shape[0] = 0; },
      [](KernelJob& j) { j.artifact.operands[0].shape[0] = INT64_MAX; },
      [](KernelJob& j) { j.artifact.operands[0].shape = {1}; },
      [](KernelJob& j) { j.artifact.operands[0].role = OperandRole::kOutput; },
      [](KernelJob& j) { j.artifact.operands[0].shape[1] = 21; },
      [](KernelJob& j) { j.reference.operands[2].dtype = DType::kFloat32; },
      [](KernelJob& j) { j.reference.operands[3].shape = {1, 1, 1}; },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    KernelJob job = Sample();
    damages[i](job);
    EXPECT_NE(CheckJob(job, 1), "") << "damage " << i;
  }
}

}  // namespace
}  // namespace hone
