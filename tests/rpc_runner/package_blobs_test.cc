// Package jobs whose parameters and inputs are sent, and their outputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "core/hash/hash.h"
#include "rpc_runner/executor/package_job.h"
#include "rpc_runner/local_runner.h"
#include "tests/rpc_runner/fault_proxy.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kLargeBytes = 8 * kMegabyte;

Blob BlobOf(const std::string& bytes) {
  auto kept = std::make_shared<std::string>(bytes);
  return {Sha256Hex(bytes), static_cast<int64_t>(bytes.size()), std::shared_ptr<const char>(kept, kept->data())};
}

std::vector<float> Ramp() {
  std::vector<float> x(testing::kTestElements);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 32;
  return x;
}

std::string BytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// y = 3 x + sum(3 x); the weight 3 is the first of the parameters, which have `params_bytes`.
PackageJob ExactJob(int64_t params_bytes = 64) {
  const float weight = 3;
  std::string params(static_cast<size_t>(params_bytes), 'p');
  std::memcpy(params.data(), &weight, sizeof(weight));
  Plan plan = testing::TestPlan();
  plan.params_bytes = params_bytes;
  PackageJob job = MakePackageJob(plan, testing::ReadTestKernels(), params, 1, 1);
  job.exact_params.clear();
  job.params = BlobOf(params);
  job.inputs = BlobOf(BytesOf(Ramp()));
  job.wants_outputs = true;
  return job;
}

JobResult RunPackage(Runner& runner, PackageJob job) {
  runner.SubmitPackage(std::move(job));
  JobResult result;
  EXPECT_TRUE(runner.Wait(-1, &result));
  return result;
}

void ExpectRight(const JobResult& result) {
  EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
  EXPECT_EQ(result.outputs, BytesOf(testing::ExpectedOutput(Ramp())));
}

Measurement Spoiled(const std::function<void(PackageJob&)>& spoil) {
  LocalRunner runner({});
  PackageJob job = ExactJob();
  spoil(job);
  const JobResult result = RunPackage(runner, std::move(job));
  EXPECT_TRUE(result.outputs.empty());
  // The executor is alive and runs the next job.
  ExpectRight(RunPackage(runner, ExactJob()));
  return result.measurement;
}

TEST(PackageBlobs, GiveTheOutputsBitForBit) {
  LocalRunner runner({});
  ExpectRight(RunPackage(runner, ExactJob()));
  ExpectRight(RunPackage(runner, ExactJob(kLargeBytes)));
  ExpectRight(RunPackage(runner, ExactJob()));
}

TEST(PackageBlobs, WithoutThemThereAreNoOutputs) {
  LocalRunner runner({});
  PackageJob job = ExactJob();
  job.wants_outputs = false;
  const JobResult result = RunPackage(runner, job);
  EXPECT_EQ(result.measurement.fate, Fate::kOk);
  EXPECT_TRUE(result.outputs.empty());
}

TEST(PackageBlobs, ThatAreNotThePlansAreUnsupported) {
  for (const size_t size : {0, 63, 65}) {
    EXPECT_EQ(Spoiled([&](PackageJob& job) { job.params = BlobOf(std::string(size, 'p')); }).fate, Fate::kUnsupported);
  }
  const Measurement cut = Spoiled([](PackageJob& job) { job.inputs = BlobOf("x"); });
  EXPECT_EQ(cut.fate, Fate::kUnsupported);
  EXPECT_THAT(cut.message, ::testing::HasSubstr("the inputs are shorter"));
  const std::string longer = BytesOf(Ramp()) + "xxxx";
  EXPECT_THAT(Spoiled([&](PackageJob& job) { job.inputs = BlobOf(longer); }).message,
              ::testing::HasSubstr("the inputs are longer"));
}

TEST(PackageBlobs, OfAnotherHashAreRefused) {
  const Measurement forged = Spoiled([](PackageJob& job) { job.params->sha256 = Sha256Hex("something else"); });
  EXPECT_EQ(forged.fate, Fate::kUnsupported);
  EXPECT_THAT(forged.message, ::testing::HasSubstr("have the hash"));
}

TEST(PackageBlobs, OutputsThatDoNotTravelAreUnsupported) {
  const Measurement large = Spoiled([](PackageJob& job) { job.plan.buffers[1].size_bytes = kMaxOutputBytes + 1; });
  EXPECT_EQ(large.fate, Fate::kUnsupported);
  EXPECT_THAT(large.message, ::testing::HasSubstr("its outputs have"));
}

TEST(PackageBlobs, OutputsThatCannotBeAreTold) {
  PackageJob job = ExactJob();
  EXPECT_EQ(OutputBytes(job.plan), testing::kTestElements * 4);
  EXPECT_EQ(CheckPackageJob(job, 1), "");
  job.plan.outputs = {99};
  EXPECT_EQ(OutputBytes(job.plan), -1);
  EXPECT_EQ(CheckPackageJob(job, 1), "the plan's outputs are not right");
  job.plan.outputs = {1};
  job.plan.buffers[1].size_bytes = -4;
  EXPECT_EQ(OutputBytes(job.plan), -1);
}

// A runner behind a tracker, and tuners that reach it through a proxy that counts bytes.
class CountedBytes : public ::testing::Test {
 protected:
  JobResult RunFromHere(int64_t params_bytes) {
    const auto runner = Connect();
    return RunPackage(*runner, ExactJob(params_bytes));
  }
  std::unique_ptr<Runner> Connect() {
    RemoteRunnerOptions options = RemoteTo(tracker_, "k");
    options.tracker = proxy_.address();
    return MakeRemoteRunner(options);
  }

  TrackerThread tracker_;
  RunnerThread server_{OfferTo(tracker_.address(), "k")};
  FaultProxy proxy_{tracker_.address()};
};

TEST_F(CountedBytes, ParametersTravelOnce) {
  ExpectRight(RunFromHere(kLargeBytes));
  const int64_t first = proxy_.passed();
  EXPECT_GT(first, kLargeBytes);
  EXPECT_LT(first, kLargeBytes + kMegabyte);
  ExpectRight(RunFromHere(kLargeBytes));
  EXPECT_LT(proxy_.passed() - first, kMegabyte);
}

// Bytes that arrived under a lease, and were not yet checked against their hash, are dropped with it.
TEST_F(CountedBytes, ATransferThatALeaseBrokeOffBeginsAnew) {
  {
    const auto runner = Connect();
    proxy_.CloseAfter(5 * kMegabyte);
    runner->SubmitPackage(ExactJob(kLargeBytes));
    while (!proxy_.has_cut()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ExpectRight(RunFromHere(kLargeBytes));
  EXPECT_GT(proxy_.passed(), kLargeBytes + 4 * kMegabyte);
  EXPECT_LT(proxy_.passed(), kLargeBytes + 7 * kMegabyte);
}

TEST_F(CountedBytes, ARunnerTakesWhatItsCommandLineSays) {
  RunnerServerOptions options = OfferTo(tracker_.address(), "small");
  options.executor.max_package_bytes = kMegabyte;
  const RunnerThread server(options);
  const auto runner = MakeRemoteRunner(RemoteTo(tracker_, "small"));
  const JobResult refused = RunPackage(*runner, ExactJob(kLargeBytes));
  EXPECT_EQ(refused.measurement.fate, Fate::kUnsupported);
  EXPECT_THAT(refused.measurement.message, ::testing::HasSubstr("this runner takes 1048576 (--max-package)"));
  ExpectRight(RunPackage(*runner, ExactJob()));
}

}  // namespace
}  // namespace hone
