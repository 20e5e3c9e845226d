// A candidate that searches all of its memory finds only its own job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash/hash.h"
#include "rpc_runner/executor/job_data.h"
#include "rpc_runner/executor/package_job.h"
#include "rpc_runner/local_runner.h"
#include "runtime/load/check_elf.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/runtime/test_package.h"
#include "tests/support/child_processes.h"
#include "tests/support/process_memory.h"

namespace hone {
namespace {

using ::testing::IsEmpty;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::string_view kEarlierName = "an-earlier-tuners-kernel";
constexpr std::string_view kEarlierPackage = "an-earlier-tuners-network", kOwnPackage = "the-network-that-searches";
constexpr int kManyCalls = 10'000;  // takes some seconds
constexpr int kNames = 400;         // long enough that part of it survives in freed memory
constexpr size_t kCodeBytes = 48;
constexpr int64_t kSendingNs = 5'000'000;
constexpr int64_t kSpinsNs = 50'000'000;

// Code that no other kernel has: the first bytes of the first code segment may be a header of the linker's.
std::string_view CodeOf(const Artifact& artifact) {
  ElfImage image;
  EXPECT_EQ(ReadElf(artifact.elf, &image), "");
  const auto code =
      std::find_if(image.segments.begin(), image.segments.end(), [](const auto& s) { return s.executable; });
  if (code == image.segments.end() || code->file_bytes < kCodeBytes) return "";
  return std::string_view(artifact.elf).substr(code->file_offset + code->file_bytes - kCodeBytes, kCodeBytes);
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// All adjacent pieces, because the beginning of freed memory may be overwritten.
std::vector<std::string_view> Windows(const std::string& bytes, size_t size) {
  std::vector<std::string_view> windows;
  for (size_t at = 0; at + size <= bytes.size(); at += size)
    windows.push_back(std::string_view(bytes).substr(at, size));
  return windows;
}

std::vector<float> InputOf(const KernelJob& job, size_t index, uint64_t seed) {
  RegionCache cache(1 << 20);
  const auto region = InputFor(cache, job.artifact.operands[index], index, seed);
  const auto* values = reinterpret_cast<const float*>(region->data());
  return {values, values + region->size_bytes() / static_cast<int64_t>(sizeof(float))};
}

// The results of dense_reference.c, bit for bit.
std::vector<double> ExpectedOf(const KernelJob& job, uint64_t seed) {
  const std::vector<float> x = InputOf(job, 0, seed), w = InputOf(job, 1, seed);
  const auto n = static_cast<size_t>(job.artifact.operands[0].shape[0]);
  const auto k = static_cast<size_t>(job.artifact.operands[0].shape[1]), o = w.size() / k;
  std::vector<double> values(n * o, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < k; ++j) values[i] += static_cast<double>(x[i / o * k + j]) * w[i % o * k + j];
  }
  return values;
}

int64_t UsedNs(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return int64_t{1'000'000'000} * used.tv_sec + used.tv_nsec;
}

// The executor's new child, once it has computed for a while; -1 when none appears. `wait` takes a few milliseconds.
pid_t SpinningChild(pid_t executor, const std::vector<pid_t>& before, const std::function<void()>& wait) {
  for (int i = 0; i < 2000; ++i, wait()) {
    for (const pid_t child : ChildrenOf(executor)) {
      if (std::find(before.begin(), before.end(), child) == before.end() && UsedNs(child) > kSpinsNs) return child;
    }
  }
  return -1;
}

class CandidateMemory : public ::testing::Test {
 protected:
  // Gives the executor another tuner's job and the spinning job's outputs, then returns all memory that the spinning
  // candidate can read.
  std::vector<MemoryPiece> Search() {
    EXPECT_EQ(FateName(RunJob(runner_, earlier_).fate), "Ok");
    EXPECT_EQ(FateName(RunJob(runner_, DenseJob()).fate), "Ok");
    const std::vector<pid_t> before = ChildrenOf(runner_.executor_pid());
    runner_.Submit(spinning_);
    return ReadableMemory(SpinningChild(runner_.executor_pid(), before, [] { usleep(5'000); }));
  }

  static KernelJob EarlierJob() {
    KernelJob job = TwiceJob();
    for (int i = 0; i < kNames; ++i) job.artifact.object_sha256 += kEarlierName;
    return job;
  }

  LocalRunner runner_{ExecutorOptions()};
  const KernelJob earlier_ = EarlierJob();
  const KernelJob spinning_ = DenseJob("dense_loop");
};

TEST_F(CandidateMemory, HoldsItsOwnJobsInputsAndNothingOfWhatIsExpectedOrOfOthers) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's build forks candidates from the executor";
  if (getuid() != 0) GTEST_SKIP() << "only root may look";
  const std::vector<MemoryPiece> memory = Search();
  ASSERT_FALSE(memory.empty());
  const auto places = [&](const std::vector<std::string_view>& needles) { return PlacesOf(memory, needles); };
  // The search finds the data that the candidate must have.
  const std::string input = BytesOf(InputOf(spinning_, 0, spinning_.seeds[0]));
  EXPECT_FALSE(places({input}).empty());
  EXPECT_FALSE(places({CodeOf(spinning_.artifact)}).empty());
  for (const uint64_t seed : spinning_.seeds) {
    const std::vector<double> expected = ExpectedOf(spinning_, seed);
    const std::string exact = BytesOf(expected),
                      rounded = BytesOf(std::vector<float>(expected.begin(), expected.end()));
    EXPECT_THAT(places(Windows(exact, 16)), IsEmpty()) << "its expected outputs, seed " << seed;
    EXPECT_THAT(places(Windows(rounded, 16)), IsEmpty()) << "its expected outputs as float32, seed " << seed;
  }
  EXPECT_THAT(places({CodeOf(earlier_.reference)}), IsEmpty()) << "another tuner's reference";
  EXPECT_THAT(places({CodeOf(spinning_.reference)}), IsEmpty()) << "its own reference";
  EXPECT_THAT(places({kEarlierName}), IsEmpty()) << "what an earlier kernel was called";
  EXPECT_THAT(places({"twice_reference", "dense_reference"}), IsEmpty()) << "the names of references";
}

Blob BlobOf(const std::string& bytes) {
  auto kept = std::make_shared<std::string>(bytes);
  return {Sha256Hex(bytes), static_cast<int64_t>(bytes.size()), std::shared_ptr<const char>(kept, kept->data())};
}

std::string Repeated(std::string_view text, size_t bytes) {
  std::string repeated;
  while (repeated.size() < bytes) repeated += text;
  return repeated.substr(0, bytes);
}

// A network whose parameters and inputs name their tuner. A run of it calls its kernels `times` times.
PackageJob PackageOf(std::string_view tuner, int times) {
  Plan plan = testing::TestPlan();
  plan.model = Repeated(tuner, kNames);
  const std::vector<PlanCall> calls = plan.calls;
  for (int i = 1; i < times; ++i) plan.calls.insert(plan.calls.end(), calls.begin(), calls.end());
  PackageJob job = MakePackageJob(plan, testing::ReadTestKernels(), std::string(64, '\0'), 1, kMaxPackageRuns);
  job.params = BlobOf(Repeated(tuner, 64));
  job.inputs = BlobOf(Repeated(tuner, testing::kTestElements * sizeof(float)));
  job.wants_outputs = true;
  return job;
}

TEST_F(CandidateMemory, OfAPackageHoldsNothingOfOthersEither) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's build forks candidates from the executor";
  if (getuid() != 0) GTEST_SKIP() << "only root may look";
  EXPECT_EQ(FateName(RunJob(runner_, earlier_).fate), "Ok");
  EXPECT_EQ(FateName(RunJob(runner_, DenseJob()).fate), "Ok");
  JobResult result;
  runner_.SubmitPackage(PackageOf(kEarlierPackage, 1));
  ASSERT_TRUE(runner_.Wait(-1, &result));
  EXPECT_EQ(FateName(result.measurement.fate), "Ok") << result.measurement.message;
  const std::vector<pid_t> before = ChildrenOf(runner_.executor_pid());
  runner_.SubmitPackage(PackageOf(kOwnPackage, kManyCalls));
  // The next package's parameters are sent meanwhile.
  const auto wait = [&] { runner_.Wait(kSendingNs, &result); };
  const std::vector<MemoryPiece> memory = ReadableMemory(SpinningChild(runner_.executor_pid(), before, wait));
  ASSERT_FALSE(memory.empty()) << result.measurement.message;
  const auto places = [&](const std::vector<std::string_view>& needles) { return PlacesOf(memory, needles); };
  EXPECT_FALSE(places({kOwnPackage}).empty()) << "the search finds what the package must have";
  EXPECT_THAT(places({kEarlierPackage}), IsEmpty()) << "another tuner's network, parameters or inputs";
  EXPECT_THAT(places({kEarlierName}), IsEmpty()) << "what an earlier kernel was called";
  EXPECT_THAT(places({CodeOf(earlier_.artifact), CodeOf(earlier_.reference)}), IsEmpty()) << "an earlier kernel's code";
  const std::vector<double> expected = ExpectedOf(spinning_, spinning_.seeds[0]);
  EXPECT_THAT(places(Windows(BytesOf(expected), 16)), IsEmpty()) << "an earlier kernel's expected outputs";
}

// The process that knows jobs cannot make another nursery, so it ends too, and its jobs go to a new executor.
TEST_F(CandidateMemory, StaysApartWhenTheNurseryEnds) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's build has no nursery";
  EXPECT_THAT(runner_.Describe().isolation, ::testing::EndsWith(",fresh"));
  const pid_t executor = runner_.executor_pid();
  kill(ChildrenOf(executor).back(), SIGKILL);
  const Measurement measurement = RunJob(runner_, DenseJob());
  EXPECT_EQ(FateName(measurement.fate), "Ok") << measurement.message;
  EXPECT_NE(runner_.executor_pid(), executor);
}

}  // namespace
}  // namespace hone
