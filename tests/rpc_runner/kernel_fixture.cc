#include "tests/rpc_runner/kernel_fixture.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace hone {
namespace {

std::string ReadKernel(const std::string& name) {
  std::ifstream file(std::string(TEST_KERNEL_DIR) + "/" + name + ".so", std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

KernelOperand Operand(OperandRole role, DType dtype, const Shape& shape, const std::string& layout) {
  return {role, dtype, shape, Layout::Parse(layout)};
}

TimingPolicy QuickTiming() {
  TimingPolicy timing;
  timing.min_sample_ns = 1000;
  timing.max_samples = 5;
  return timing;
}

}  // namespace

KernelJob DenseJob(const std::string& kernel) {
  const KernelOperand x = Operand(OperandRole::kData, DType::kFloat32, {4, 32}, "NK");
  const KernelOperand w = Operand(OperandRole::kWeight, DType::kFloat32, {16, 32}, "OK");
  const KernelOperand y = Operand(OperandRole::kOutput, DType::kFloat32, {4, 16}, "NO");
  const KernelOperand exact = Operand(OperandRole::kOutput, DType::kFloat64, {4, 16}, "NO");
  KernelJob job;
  job.artifact = {ReadKernel(kernel), "", {{"dense", 4, 1, 0}}, {x, w, y}, 0};
  job.reference = {ReadKernel("dense_reference"), "", {{"dense_reference", 4, 1, 0}}, {x, w, exact, exact}, 0};
  job.seeds = {11, 12, 13};
  job.timing = QuickTiming();
  return job;
}

KernelJob TwiceJob(const std::string& kernel) {
  const Shape shape = {1, 20, 3, 4};
  const auto operand = [&](OperandRole role, DType dtype, const char* layout) {
    return Operand(role, dtype, shape, layout);
  };
  KernelJob job;
  job.artifact = {ReadKernel(kernel),
                  "",
                  {{"twice", 2, 1, 64}},
                  {operand(OperandRole::kData, DType::kFloat32, "NCHW16c"),
                   operand(OperandRole::kOutput, DType::kFloat32, "NCHW16c")},
                  4096};
  job.reference = {
      ReadKernel("twice"),
      "",
      {{"twice_reference", 20, 1, 0}},
      {operand(OperandRole::kData, DType::kFloat32, "NCHW"), operand(OperandRole::kOutput, DType::kFloat64, "NCHW"),
       operand(OperandRole::kOutput, DType::kFloat64, "NCHW")},
      0};
  job.seeds = {1};
  job.timing = QuickTiming();
  return job;
}

Measurement RunJob(Runner& runner, KernelJob job) {
  const JobId id = runner.Submit(std::move(job));
  JobResult result;
  EXPECT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.id, id);
  return result.measurement;
}

}  // namespace hone
