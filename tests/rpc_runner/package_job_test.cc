#include "rpc_runner/executor/package_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc_runner/local_runner.h"
#include "rpc_runner/wire/protocol.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

PackageJob TestJob(int runs = 4) {
  return MakePackageJob(testing::TestPlan(), testing::ReadTestKernels(), std::string(64, '\0'), 1, runs);
}

JobResult RunPackage(Runner& runner, PackageJob job) {
  const JobId id = runner.SubmitPackage(std::move(job));
  JobResult result;
  EXPECT_TRUE(runner.Wait(-1, &result));
  EXPECT_EQ(result.id, id);
  return result;
}

// The executor's result for a job that `spoil` has damaged.
Measurement Spoiled(const std::function<void(PackageJob&)>& spoil) {
  LocalRunner runner({});
  PackageJob job = TestJob();
  spoil(job);
  const JobResult result = RunPackage(runner, std::move(job));
  EXPECT_TRUE(result.cost.calls_ns.empty());
  // The executor is alive and runs the next job.
  EXPECT_EQ(RunPackage(runner, TestJob()).measurement.fate, Fate::kOk);
  return result.measurement;
}

TEST(PackageJob, TellsTheTimeOfEveryCall) {
  LocalRunner runner({});
  const JobResult result = RunPackage(runner, TestJob());
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
  EXPECT_EQ(result.measurement.samples_ns.size(), 4u);
  ASSERT_EQ(result.cost.calls_ns.size(), testing::TestPlan().calls.size());
  int64_t sum_ns = 0;
  for (const int64_t ns : result.cost.calls_ns) sum_ns += ns;
  EXPECT_GT(sum_ns, 0);
  EXPECT_LE(sum_ns, result.measurement.MinNs());
  EXPECT_FALSE(result.measurement.environment.cpu_model.empty());
}

TEST(PackageJob, RunsBehindATracker) {
  const TrackerThread tracker;
  const RunnerThread server(OfferTo(tracker.address(), "k"));
  const auto runner = MakeRemoteRunner(RemoteTo(tracker, "k"));
  const JobResult result = RunPackage(*runner, TestJob());
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
  EXPECT_EQ(result.cost.calls_ns.size(), testing::TestPlan().calls.size());
}

// The test kernels, with a kernel table that declares integer parameters.
std::string KernelsOfIntegers() {
  std::string lib = testing::ReadTestKernels();
  const std::string floats = R"("role":"weight","dtype":"float32")", integers = R"("role":"weight","dtype":"int32"  )";
  const size_t at = lib.find(floats);
  EXPECT_NE(at, std::string::npos);
  return lib.replace(at, floats.size(), integers);
}

TEST(PackageJob, TakesParametersThatAreNoFloatsAsTheyAre) {
  Plan plan = testing::TestPlan();
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == BufferKind::kParam) buffer.dtype = DType::kInt32;
  }
  const std::string params = std::string("\x07\0\0\0", 4) + std::string(60, '\0');
  PackageJob job = MakePackageJob(plan, KernelsOfIntegers(), params, 1, 1);
  EXPECT_EQ(job.exact_params, std::string("\x07\0\0\0", 4));
  LocalRunner runner({});
  EXPECT_EQ(RunPackage(runner, job).measurement.fate, Fate::kOk);
  job.exact_params.pop_back();
  EXPECT_EQ(RunPackage(runner, job).measurement.fate, Fate::kUnsupported);
}

// A network's weights exceed a frame.
TEST(PackageJob, SendsNoParametersThatMayBeRandom) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    Plan plan = testing::TestPlan();
    for (PlanBuffer& buffer : plan.buffers) {
      if (buffer.kind == BufferKind::kParam) buffer.dtype = dtype;
    }
    EXPECT_EQ(MakePackageJob(plan, "", std::string(64, '\7'), 1, 1).exact_params, "") << DTypeName(dtype);
  }
}

// A network's integer parameters exceed a frame, too: they are sent by name, piece by piece.
TEST(PackageJob, SendsManyExactParametersApart) {
  Plan plan = testing::TestPlan();
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind != BufferKind::kParam) continue;
    buffer.dtype = DType::kInt8;
    buffer.size_bytes = static_cast<int64_t>(kMaxPartBytes) + 64;
  }
  plan.params_bytes = static_cast<int64_t>(kMaxPartBytes) + 64;
  const std::string params(static_cast<size_t>(plan.params_bytes), '\1');
  const PackageJob job = MakePackageJob(plan, "", params, 1, 1);
  EXPECT_EQ(job.exact_params, "");
  ASSERT_TRUE(job.params.has_value());
  EXPECT_EQ(job.params->bytes(), params);
}

TEST(PackageJob, AnswersAWrongJobWithAFate) {
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.runs = 0; }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.runs = kMaxPackageRuns + 1; }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.timing.threads = 4096; }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.plan.calls.clear(); }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.plan.arena_bytes = int64_t{1} << 50; }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.plan.calls[0].operands[0].offset_bytes = 1 << 20; }).fate,
            Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.plan.kernels[0].stages[0].extent = int64_t{1} << 40; }).fate,
            Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.plan.target.triple = "s390x-ibm-linux-gnu"; }).fate, Fate::kUnsupported);
  EXPECT_EQ(Spoiled([](PackageJob& job) { job.lib.resize(job.lib.size() / 2); }).fate, Fate::kPolicyViolation);
}

// The frame's reader refuses it, before there is a job to check.
TEST(PackageJob, AnswersAPlanThatCannotBeReadWithItsLine) {
  const Measurement refused = Spoiled([](PackageJob& job) { job.plan.inputs.push_back(4096); });
  EXPECT_EQ(refused.fate, Fate::kUnsupported);
  EXPECT_THAT(refused.message, ::testing::HasSubstr("names buffer 4096"));
}

TEST(PackageJob, SaysWhenAKernelFailsOrFaults) {
  const Measurement failed = Spoiled([](PackageJob& job) { job.plan = testing::FailingPlan(); });
  EXPECT_EQ(failed.fate, Fate::kCrashed);
  EXPECT_THAT(failed.message, ::testing::HasSubstr("code 7"));
  const Measurement faulted = Spoiled([](PackageJob& job) {
    job.plan = testing::FailingPlan();
    job.plan.kernels[0].stages[0].symbol = "fault";
  });
  EXPECT_EQ(faulted.fate, Fate::kCrashed);
}

TEST(PackageJob, IsKilledAtItsDeadline) {
  const Measurement late = Spoiled([](PackageJob& job) {
    job.timing.deadline_ns = 1;
    job.runs = kMaxPackageRuns;
    // Enough calls that they take longer than to look at the clock.
    const PlanCall call = job.plan.calls[0];
    job.plan.calls.insert(job.plan.calls.begin(), 5000, call);
  });
  EXPECT_EQ(late.fate, Fate::kTimedOut);
}

}  // namespace
}  // namespace hone
