#include "rpc_runner/executor/task_message.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"

namespace hone {
namespace {

Artifact SomeArtifact() {
  const KernelOperand x{OperandRole::kData, DType::kFloat32, {4, 32}, Layout::Parse("NK")};
  const KernelOperand y{OperandRole::kOutput, DType::kFloat32, {4, 16}, Layout::Parse("NO")};
  return {"the ELF", "a hash", {{"dense", 4, 1, 64}}, {x, y}, 4096, {"avx2"}};
}

std::vector<int> Copies(const std::vector<int>& descriptors) {
  std::vector<int> copies;
  for (const int fd : descriptors) copies.push_back(dup(fd));
  return copies;
}

TEST(TaskMessage, BringsAKernelWithItsRegions) {
  const Artifact artifact = SomeArtifact();
  ChildTask task;
  task.artifact = &artifact;
  task.timing.threads = 3;
  task.timing.memory_bytes = 12345;
  task.pin = true;
  for (int seed = 0; seed < 2; ++seed) task.inputs.push_back({std::make_shared<SharedRegion>(100 + seed)});
  task.outputs = {std::make_shared<SharedRegion>(300)};
  const ReceivedTask received(*TaskMessage(task), Copies(TaskDescriptors(task)));
  const ChildTask& got = received.task();
  EXPECT_EQ(*got.artifact, artifact);
  EXPECT_EQ(got.package, nullptr);
  EXPECT_EQ(got.timing.threads, 3);
  EXPECT_EQ(got.timing.memory_bytes, 12345);
  EXPECT_TRUE(got.pin);
  ASSERT_EQ(got.inputs.size(), 2u);
  EXPECT_EQ(got.inputs[1][0]->size_bytes(), 101);
  task.outputs[0]->Poison(7);
  EXPECT_EQ(got.outputs[0]->data()[299], 7) << "it is the same memory";
}

TEST(TaskMessage, BringsAPackageWithTheDataThatThereAre) {
  PackageJob package;
  package.lib = "a library";
  package.exact_params = "exact";
  package.runs = 4;
  package.wants_outputs = true;
  package.timing.threads = 2;
  ChildTask task;
  task.package = &package;
  task.timing = package.timing;
  task.outputs = {std::make_shared<SharedRegion>(8)};
  const auto inputs = std::make_shared<SharedRegion>(5000);
  inputs->Poison(9);
  task.data.inputs = inputs;
  const ReceivedTask received(*TaskMessage(task), Copies(TaskDescriptors(task)));
  const ChildTask& got = received.task();
  ASSERT_NE(got.package, nullptr);
  EXPECT_EQ(got.package->lib, "a library");
  EXPECT_EQ(got.package->exact_params, "exact");
  EXPECT_EQ(got.package->runs, 4);
  EXPECT_TRUE(got.package->wants_outputs);
  EXPECT_EQ(got.timing.threads, 2);
  EXPECT_EQ(got.data.params, nullptr);
  ASSERT_NE(got.data.inputs, nullptr);
  EXPECT_EQ(got.data.inputs->data()[4999], 9);
}

// The kernel drops descriptors for which the receiver has no free numbers.
TEST(TaskMessage, BlamesTheMachineForDescriptorsThatAreMissing) {
  const Artifact artifact = SomeArtifact();
  ChildTask task;
  task.artifact = &artifact;
  task.outputs = {std::make_shared<SharedRegion>(300)};
  try {
    const ReceivedTask received(*TaskMessage(task), {});
    FAIL() << "nothing is missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kIo);
  }
}

}  // namespace
}  // namespace hone
