// Kernels that are almost right: one bit of their code is flipped.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/local_runner.h"
#include "runtime/kernel_launch.h"
#include "tests/rpc_runner/kernel_fixture.h"
#include "tests/support/asked_count.h"

namespace hone {
namespace {

// Offset and length of the code in the file.
std::pair<size_t, size_t> CodeOf(const std::string& elf) {
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, elf.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) return {segment.p_offset, segment.p_filesz};
  }
  ADD_FAILURE() << "it has no code";
  return {0, 1};
}

// Runs the kernel in a process of the test's own, on inputs that it has never seen, and compares with the result
// computed here. The executor's verdict is not used. 4 rows of 32 by 16 outputs, as in DenseJob.
bool IsRight(const KernelJob& job, Random& random) {
  std::vector<float> x(4 * 32), w(16 * 32), y(4 * 16, -1);
  for (std::vector<float>* values : {&x, &w}) {
    for (float& value : *values) value = static_cast<float>(2 * random.Uniform() - 1);
  }
  const pid_t child = fork();
  if (child == 0) {
    const KernelLibrary library = KernelLibrary::FromBytes(job.artifact.elf, "mutant");
    ThreadPool pool(1, false);
    KernelLaunch launch;
    launch.stages.push_back({library.Find("dense"), 4, 1});
    launch.operands = {x.data(), w.data(), y.data()};
    for (const KernelOperand& operand : job.artifact.operands) {
      launch.batch_strides.push_back(BatchStrideBytes(operand));
    }
    if (RunKernel(pool, launch) != 0) _exit(1);
    for (size_t m = 0; m < 4; ++m) {
      for (size_t n = 0; n < 16; ++n) {
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < 32; ++k) {
          const double product = static_cast<double>(x[m * 32 + k]) * static_cast<double>(w[n * 32 + k]);
          sum += product;
          magnitude += std::abs(product);
        }
        if (!(std::abs(static_cast<double>(y[m * 16 + n]) - sum) <= job.tolerance * magnitude + 1e-7)) _exit(1);
      }
    }
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status == 0;
}

// Any result of a mutant that is believed must be true.
TEST(Mutants, AreNeverBelievedWhenTheyAreWrong) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "the sanitizer's memory lies where a wild write of a mutant harms nothing in one process and ends another";
#endif
  const int count = AskedCount(200);
  LocalRunner runner({});
  const pid_t executor = runner.executor_pid();
  const KernelJob right = DenseJob();
  const auto [begin, size] = CodeOf(right.artifact.elf);
  Random random(20'261'123);
  std::map<std::string, int> fates;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    KernelJob job = right;
    job.timing.deadline_ns = 300'000'000;
    job.artifact.elf[begin + random.Below(size)] ^= static_cast<char>(1U << random.Below(8));
    const Measurement first = RunJob(runner, job);
    ++fates[std::string(FateName(first.fate))];
    EXPECT_NE(FateName(first.fate), "RunnerLost") << first.message;
    if (first.fate != Fate::kOk) {
      EXPECT_TRUE(first.samples_ns.empty()) << "a wrong kernel has no time";
      continue;
    }
    const bool is_right = IsRight(job, random);
    EXPECT_TRUE(is_right) << "mutant " << i << " was believed";
    wrong += !is_right;
  }
  std::printf("%d mutants, %d believed and wrong:", count, wrong);
  for (const auto& [fate, times] : fates) std::printf(" %d %s", times, fate.c_str());
  std::printf("\n");
  EXPECT_GT(fates["Ok"], 0);
  EXPECT_GT(fates["WrongOutput"] + fates["Crashed"] + fates["OutOfBounds"], 0);
  EXPECT_EQ(runner.executor_pid(), executor) << "it was begun anew";
}

}  // namespace
}  // namespace hone
