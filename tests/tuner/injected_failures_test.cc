// The system refuses calls while a candidate is compiled, linked, loaded, forked for and timed. No refusal may become a
// verdict on the candidate.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "compiler/codegen/target/host.h"
#include "core/failure.h"
#include "rpc_runner/local_runner.h"
#include "tests/support/syscall_faults.h"
#include "tuner/compile/compile_pool.h"
#include "tuner/search/search_space.h"

namespace hone {
namespace {

using testing::RunWithFaults;
using testing::SyscallFaults;

constexpr int64_t kLeastCalls = 20, kMostCalls = 20'000;
constexpr int kMostSeconds = 300;

Candidate SomeCandidate() {
  Candidate candidate;
  candidate.workload.op = "nn.dense";
  candidate.workload.data = {4, 32};
  candidate.workload.weight = {32, 32};
  candidate.target = HostTarget();
  const MachineModel machine = MachineModelFor(candidate.target);
  const SearchSpace space({candidate.workload, machine, SchedulesFor(candidate.workload, machine), nullptr});
  candidate.schedule = space.ranked().front().proposal.schedule;
  candidate.config = space.ranked().front().proposal.config;
  return candidate;
}

CompilePoolOptions OneCompiler() {
  CompilePoolOptions options;
  options.program = HONE_COMPILER;
  return options;
}

ExecutorOptions Executor() {
  ExecutorOptions options;
  options.program = HONE_RUNNER;
  return options;
}

// The failure of a step; Ok when it succeeded.
Failure Outcome(const std::function<Failure()>& step) {
  try {
    return step();
  } catch (const std::exception& error) {
    return FailureOf(error, Fate::kCompileFailed);
  }
}

Failure Compiled(CompilePool& pool, const Candidate& candidate) {
  return Outcome([&] {
    const auto built = pool.Compile(candidate);
    const Rejection* rejection = std::get_if<Rejection>(&built);
    return rejection != nullptr ? *rejection : Failure{Fate::kOk, "", {}};
  });
}

Failure Timed(Runner& runner, const KernelJob& job) {
  return Outcome([&] {
    runner.Submit(job);
    JobResult result;
    if (!runner.Wait(-1, &result)) return Failure{Fate::kRunnerLost, "no answer", {}};
    return Failure{result.measurement.fate, result.measurement.message, {}};
  });
}

bool SaysNothingOfTheCandidate(Fate fate) {
  return fate == Fate::kOk || fate == Fate::kCancelled || fate == Fate::kRunnerLost;
}

// Repeats the step, each time with a later call refused, until the step makes fewer calls than that. Exits with 2 when
// a refusal became a verdict, after printing it, and with 4 when there were hardly any calls to refuse.
void Walk(SyscallFaults& faults, int64_t stride, const std::function<Failure()>& step) {
  alarm(kMostSeconds);
  for (int64_t nth = 1; nth < kMostCalls; nth += stride) {
    faults.Arm(nth);
    const Failure outcome = step();
    const int refused = faults.refused();
    faults.Disarm();
    if (refused < 0 && nth < kLeastCalls) _exit(4);
    if (refused < 0) return;
    if (SaysNothingOfTheCandidate(outcome.fate)) continue;
    fmt::print(stderr, "call {} (number {}) was refused: {}: {}\n", nth, refused, FateName(outcome.fate),
               outcome.reason);
    _exit(2);
  }
  _exit(3);
}

void ExpectNoVerdict(const std::function<void(SyscallFaults&)>& body) {
  const int ended = RunWithFaults(body);
  if (ended == testing::kNoFilter) GTEST_SKIP() << "no system call can be refused here";
  EXPECT_EQ(ended, 0) << "2: a refusal became a verdict; negative: the tool died of that signal";
}

TEST(InjectedFailures, NoneOfACompilationIsAVerdict) {
  ExpectNoVerdict([](SyscallFaults& faults) {
    const Candidate candidate = SomeCandidate();
    CompilePool pool(OneCompiler());
    Compiled(pool, candidate);
    Walk(faults, 1, [&] { return Compiled(pool, candidate); });
  });
}

// A start makes many calls, mostly of the dynamic loader, so only every eleventh is refused.
TEST(InjectedFailures, NoneOfTheStartOfACompilerIsAVerdict) {
  ExpectNoVerdict([](SyscallFaults& faults) {
    const Candidate candidate = SomeCandidate();
    Walk(faults, 11, [&] {
      CompilePool pool(OneCompiler());
      return Compiled(pool, candidate);
    });
  });
}

KernelJob SomeJob() {
  const Candidate candidate = SomeCandidate();
  CompilePool pool(OneCompiler());
  KernelJob job;
  job.artifact = std::get<Artifact>(pool.Compile(candidate));
  job.reference = pool.Reference(candidate.workload, candidate.target);
  job.tolerance = FindSchedule(candidate.schedule)->tolerance();
  job.timing.min_sample_ns = 1'000;
  return job;
}

// Other seeds each time, so the reference is run and the inputs are made again.
TEST(InjectedFailures, NoneOfAJobIsAVerdict) {
  ExpectNoVerdict([](SyscallFaults& faults) {
    KernelJob job = SomeJob();
    LocalRunner runner(Executor());
    uint64_t seed = 1;
    const auto run = [&] {
      job.seeds = {seed, seed + 1};
      seed += 2;
      return Timed(runner, job);
    };
    run();
    Walk(faults, 1, run);
  });
}

TEST(InjectedFailures, NoneOfTheStartOfAnExecutorIsAVerdict) {
  ExpectNoVerdict([](SyscallFaults& faults) {
    KernelJob job = SomeJob();
    job.seeds = {1, 2};
    Walk(faults, 7, [&] {
      return Outcome([&] {
        LocalRunner runner(Executor());
        return Timed(runner, job);
      });
    });
  });
}

}  // namespace
}  // namespace hone
