#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc_runner/runner.h"
#include "tests/rpc_runner/fault_cases.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/rpc_runner/network_fixture.h"

namespace hone {
namespace {

void ExpectCase(Runner& runner, const FaultCase& expected) {
  SCOPED_TRACE(expected.kernel);
  KernelJob job = DenseJob(expected.kernel);
  if (expected.fate == Fate::kTimedOut) job.timing.deadline_ns = 200'000'000;
  job.timing.memory_bytes = int64_t{256} << 20;
  job.timing.threads = expected.threads;
  const Measurement measurement = RunJob(runner, std::move(job));
  EXPECT_EQ(FateName(measurement.fate), FateName(expected.fate)) << measurement.message;
  if (expected.detail >= 0) {
    EXPECT_EQ(measurement.detail, expected.detail) << measurement.message;
  }
  EXPECT_THAT(measurement.message, testing::HasSubstr(expected.message));
  EXPECT_EQ(measurement.samples_ns.empty(), expected.fate != Fate::kOk);
}

void ExpectTable(Runner& runner) {
  const Environment here = runner.Describe();
  const bool seccomp = here.isolation.find("seccomp") != std::string::npos;
  for (const FaultCase& expected : FaultCases()) {
    if ((expected.needs_seccomp && !seccomp) || expected.threads > here.cores) continue;
    ExpectCase(runner, expected);
    if (testing::Test::HasFailure()) return;
  }
  // After all these faults the runner still measures.
  ExpectCase(runner, {"dense", Fate::kOk, 0, ""});
}

TEST(FaultTable, NearRunnerNamesEveryFaultAndLives) { ExpectTable(*MakeLocalRunner()); }

TEST(FaultTable, FarRunnerNamesEveryFaultAndLives) {
  TrackerThread tracker;
  RunnerThread server(OfferTo(tracker.address(), "table"));
  ExpectTable(*MakeRemoteRunner(RemoteTo(tracker, "table")));
}

}  // namespace
}  // namespace hone
