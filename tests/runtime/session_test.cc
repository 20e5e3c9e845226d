#include "runtime/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "tests/runtime/counted_allocations.h"
#include "tests/runtime/test_package.h"

namespace hone {
namespace {

using testing::ExpectedOutput;
using ::testing::HasSubstr;
using testing::kTestElements;

std::vector<float> SomeInput(uint64_t seed) {
  Random random(seed);
  std::vector<float> x(kTestElements);
  for (float& value : x) value = static_cast<float>(random.Uniform() - 0.5);
  return x;
}

Tensor InputTensor(const std::vector<float>& x) {
  return Tensor::FromVector<float>(DType::kFloat32, {1, kTestElements}, x);
}

std::vector<float> OutputValues(const Session& session) {
  const Tensor y = session.Output(0);
  return {y.data<float>(), y.data<float>() + y.elements()};
}

class SessionTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Package> package_ = Package::FromBytes(testing::TestPackage(), "test");
};

TEST_F(SessionTest, ComputesTheSameBitsAtAnyNumberOfThreads) {
  const std::vector<float> x = SomeInput(1);
  for (const int threads : {1, 2, 3, 4}) {
    SessionOptions options;
    options.threads = threads;
    Session session(package_, options);
    EXPECT_EQ(session.threads(), threads);
    session.SetInput("x", InputTensor(x));
    session.Run();
    EXPECT_EQ(OutputValues(session), ExpectedOutput(x)) << threads;
  }
}

TEST_F(SessionTest, RunsAgainWithOtherInputs) {
  Session session(package_);
  for (uint64_t seed = 1; seed < 4; ++seed) {
    session.SetInput("x", InputTensor(SomeInput(seed)));
    session.Run();
    EXPECT_EQ(OutputValues(session), ExpectedOutput(SomeInput(seed)));
  }
}

TEST_F(SessionTest, RunAllocatesNothing) {
  SessionOptions options;
  options.threads = 2;
  Session session(package_, options);
  session.Run();
  const int64_t before = testing::Allocations();
  for (int i = 0; i < 10; ++i) session.Run();
  EXPECT_EQ(testing::Allocations(), before);
}

// Any worker may take part in a stage; calls follow one another, and work lies inside its call.
TEST_F(SessionTest, TracesWhatEachWorkerDidAndComputesTheSame) {
  SessionOptions options;
  options.threads = 3;
  Session session(package_, options);
  session.SetInput("x", InputTensor(SomeInput(2)));
  const Session::Trace trace = session.RunTraced();
  EXPECT_EQ(OutputValues(session), ExpectedOutput(SomeInput(2)));
  const Plan& plan = package_->plan();
  ASSERT_EQ(trace.call_ns.size(), plan.calls.size());
  size_t stages = 0;
  for (const PlanCall& call : plan.calls) stages += plan.kernels[static_cast<size_t>(call.kernel)].stages.size();
  EXPECT_GE(trace.work.size(), stages);
  EXPECT_LE(trace.work.size(), 3 * stages);
  int64_t last_ns = trace.begin_ns;
  for (size_t call = 0; call < plan.calls.size(); ++call) {
    EXPECT_GE(trace.call_begin_ns[call], last_ns);
    last_ns = trace.call_begin_ns[call] + trace.call_ns[call];
    for (const Session::Trace::Slice& slice : trace.work) {
      if (slice.call != call) continue;
      EXPECT_GE(slice.begin_ns, trace.call_begin_ns[call]);
      EXPECT_LE(slice.begin_ns, slice.end_ns);
      EXPECT_LE(slice.end_ns, last_ns);
    }
  }
}

TEST_F(SessionTest, UsesTheCallersPool) {
  ThreadPool pool(2);
  SessionOptions options;
  options.pool = &pool;
  Session session(package_, options);
  EXPECT_EQ(session.threads(), 2);
  session.SetInput("x", InputTensor(SomeInput(1)));
  session.Run();
  EXPECT_EQ(OutputValues(session), ExpectedOutput(SomeInput(1)));
}

TEST_F(SessionTest, BuffersAreAligned) {
  Session session(package_);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(session.InputData(0)) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(session.OutputData(0)) % 64, 0U);
}

TEST_F(SessionTest, MemoryIsArenaInputsOutputsAndWorkspaces) {
  SessionOptions options;
  options.threads = 2;
  const Session session(package_, options);
  EXPECT_EQ(session.memory_bytes(), 3 * kTestElements * 4 + 256 + 2 * 64);
}

TEST_F(SessionTest, ProfileHasOneTimePerCall) {
  Session session(package_);
  const std::vector<int64_t> spent_ns = session.RunProfiled();
  ASSERT_EQ(spent_ns.size(), 2U);
  for (const int64_t ns : spent_ns) EXPECT_GE(ns, 0);
}

class CountedSessionTest : public ::testing::Test {
 protected:
  // The first columns of x as {64, 64}; the number of columns is x[0].
  static std::vector<float> Columns(const std::vector<float>& x) {
    std::vector<float> columns;
    for (int64_t row = 0; row < testing::kCountedSide; ++row) {
      const auto first = x.begin() + row * testing::kCountedSide;
      columns.insert(columns.end(), first, first + static_cast<int64_t>(x[0]));
    }
    return columns;
  }
  static std::vector<float> InputWith(float count) {
    std::vector<float> x = SomeInput(1);
    x[0] = count;
    return x;
  }

  Session session_{Package::FromBytes(testing::CountedPackage(), "counted"), {.threads = 2}};
};

TEST_F(CountedSessionTest, AnOutputHasWhatTheRunCounted) {
  EXPECT_EQ(session_.outputs(), 1);
  EXPECT_EQ(session_.OutputShape(0), (Shape{64, 64}));
  int runs = 0;
  for (const float count : {5, 0, 64, 1, 63}) {
    const std::vector<float> x = InputWith(count);
    session_.SetInput("x", InputTensor(x));
    ++runs % 3 == 0 ? (void)session_.RunProfiled() : runs % 3 == 1 ? session_.Run() : (void)session_.RunTraced();
    EXPECT_EQ(session_.OutputShape(0), (Shape{64, static_cast<int64_t>(count)}));
    EXPECT_EQ(session_.Output(0).shape(), session_.OutputShape(0));
    EXPECT_EQ(OutputValues(session_), Columns(x)) << count;
  }
}

TEST_F(CountedSessionTest, BoundMemoryBeginsWithWhatCame) {
  std::vector<float> y(4096, -1);
  session_.BindOutput(0, y.data(), y.size() * 4);
  const std::vector<float> x = InputWith(3), columns = Columns(x);
  session_.SetInput("x", InputTensor(x));
  const int64_t before = testing::Allocations();
  session_.Run();
  EXPECT_EQ(testing::Allocations(), before);
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 3 * 64), columns);
}

TEST_F(CountedSessionTest, ACountBeyondWhatBuffersHoldIsRefused) {
  for (const float count : {65, -1}) {
    session_.SetInput("x", InputTensor(InputWith(count)));
    try {
      session_.Run();
      ADD_FAILURE() << count << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_EQ(error.what(),
                "the count of axis 1 of y is " + std::to_string(static_cast<int>(count)) + "; it may be 0 to 64");
    }
  }
}

std::string UsageErrorOf(Session& session, const std::string& name, const Tensor& value) {
  try {
    session.SetInput(name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST_F(SessionTest, AnInputThatDoesNotFitIsAUsageErrorThatNamesIt) {
  Session session(package_);
  EXPECT_THAT(UsageErrorOf(session, "z", InputTensor(SomeInput(1))), HasSubstr("no input 'z'; the inputs are: x"));
  EXPECT_THAT(UsageErrorOf(session, "x", Tensor(DType::kFloat32, {1, 2})), HasSubstr("float32 1x4096 would be right"));
  EXPECT_THAT(UsageErrorOf(session, "x", Tensor(DType::kInt32, {1, kTestElements})), HasSubstr("int32"));
}

TEST_F(SessionTest, AKernelThatFailsNamesItsNode) {
  const auto package = Package::FromBytes(
      testing::PackTestPackage(testing::FailingPlan(), testing::ReadTestKernels(), std::string(64, '\0')), "failing");
  Session session(package);
  try {
    session.Run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBug);
    EXPECT_THAT(error.what(), HasSubstr("Conv_17"));
    EXPECT_THAT(error.what(), HasSubstr("code 7"));
  }
}

TEST_F(SessionTest, OutlivesTheCallersReferenceToThePackage) {
  auto package = Package::FromBytes(testing::TestPackage(), "test");
  Session session(package);
  package.reset();
  session.SetInput("x", InputTensor(SomeInput(2)));
  session.Run();
  EXPECT_EQ(OutputValues(session), ExpectedOutput(SomeInput(2)));
}

}  // namespace
}  // namespace hone
