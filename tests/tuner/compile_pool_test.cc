#include "tuner/compile/compile_pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "core/error.h"
#include "tests/tuner/fake_tuning.h"

namespace hone {
namespace {

Candidate Does(const std::string& what) {
  Candidate candidate;
  candidate.workload = testing::FakeWorkload();
  candidate.schedule = what;
  candidate.config = Config::Parse("a=1 b=2");
  candidate.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
  return candidate;
}

CompilePoolOptions Faulty() {
  CompilePoolOptions options;
  options.program = FAULTY_COMPILER;
  return options;
}

Rejection RejectionOf(CompilePool& pool, const std::string& what) {
  return std::get<Rejection>(pool.Compile(Does(what)));
}

std::string PidOf(CompilePool& pool) { return std::get<Artifact>(pool.Compile(Does("good"))).object_sha256; }

TEST(CompilePool, ReturnsTheArtifactOrTheReasonForNone) {
  CompilePool pool(Faulty());
  EXPECT_EQ(std::get<Artifact>(pool.Compile(Does("good"))).elf, "a=1 b=2");
  EXPECT_EQ(RejectionOf(pool, "reject").fate, Fate::kInvalidConfig);
  EXPECT_EQ(RejectionOf(pool, "reject").reason, "too wide");
  EXPECT_EQ(RejectionOf(pool, "throw").fate, Fate::kCompileFailed);
  EXPECT_EQ(RejectionOf(pool, "throw").reason, "no such register");
  EXPECT_EQ(pool.Reference(testing::FakeWorkload(), Does("good").target).elf, testing::FakeWorkload().ToText());
  EXPECT_EQ(pool.started(), 1);
}

TEST(CompilePool, ACrashIsAFateThatTellsTheSignalAndTheLastWords) {
  CompilePool pool(Faulty());
  const Rejection rejection = RejectionOf(pool, "crash");
  EXPECT_EQ(rejection.fate, Fate::kCompileFailed);
  EXPECT_EQ(rejection.reason, "the compiler died of SIGABRT: LLVM ERROR: cannot select");
  EXPECT_EQ(pool.started(), 2) << "a crash is believed when it comes again";
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
}

TEST(CompilePool, ACrashThatDoesNotRepeatIsIgnored) {
  CompilePool pool(Faulty());
  const std::string file = ::testing::TempDir() + "hone_crash_once_" + std::to_string(getpid());
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("crash once " + file))));
  unlink(file.c_str());
}

TEST(CompilePool, WhatTheMachineRefusesIsNoFaultOfTheCandidate) {
  CompilePool pool(Faulty());
  for (const char* trouble : {"refused", "no memory", "leave"}) {
    EXPECT_EQ(FateName(RejectionOf(pool, trouble).fate), "Cancelled") << trouble;
  }
  EXPECT_EQ(RejectionOf(pool, "refused").code, ExitCode::kIo);
}

TEST(CompilePool, ACompilerThatSleepsWaitsForTheMachine) {
  CompilePoolOptions options = Faulty();
  options.deadline_ns = 500'000'000;
  CompilePool pool(options);
  EXPECT_EQ(FateName(RejectionOf(pool, "sleep").fate), "Cancelled");
}

TEST(CompilePool, AHangIsTimedOut) {
  CompilePoolOptions options = Faulty();
  options.deadline_ns = 200'000'000;
  CompilePool pool(options);
  const Rejection rejection = RejectionOf(pool, "hang");
  EXPECT_EQ(rejection.fate, Fate::kTimedOut);
  EXPECT_EQ(rejection.reason, "the compiler was not done in 0.2 s");
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
}

TEST(CompilePool, AMemoryBombMeetsItsLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's address space cannot be bounded";
#endif
  CompilePoolOptions options = Faulty();
  options.memory_bytes = int64_t{1} << 30;
  CompilePool pool(options);
  const Rejection rejection = RejectionOf(pool, "bomb");
  EXPECT_EQ(rejection.fate, Fate::kCompileFailed);
  EXPECT_EQ(rejection.reason, "the compiler ran out of the memory it may have");
  // Compilers that ran out of memory are not used again.
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
  EXPECT_EQ(pool.started(), 3);
}

TEST(CompilePool, AKilledCompilerIsNoFaultOfTheCandidate) {
  CompilePool pool(Faulty());
  const Rejection rejection = RejectionOf(pool, "killed");
  EXPECT_EQ(rejection.fate, Fate::kCancelled);
  EXPECT_EQ(rejection.reason, "the compiler died of SIGKILL");
  EXPECT_EQ(pool.started(), 2) << "it was tried again";
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
}

TEST(CompilePool, ACompilerThatWasKilledOnceIsAskedAgainAlone) {
  CompilePoolOptions options = Faulty();
  options.workers = 3;
  CompilePool pool(options);
  const std::string file = ::testing::TempDir() + "hone_killed_once_" + std::to_string(getpid());
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
    });
  }
  EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("killed once " + file))));
  for (std::thread& other : others) other.join();
  unlink(file.c_str());
}

TEST(CompilePool, AWorkerThatDiedIdleCostsNoCandidate) {
  CompilePool pool(Faulty());
  const std::string first = PidOf(pool);
  kill(std::stoi(first), SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(PidOf(pool), first);
}

TEST(CompilePool, RecyclesItsWorkers) {
  CompilePoolOptions options = Faulty();
  options.recycle_after = 2;
  CompilePool pool(options);
  std::set<std::string> pids;
  for (int i = 0; i < 6; ++i) pids.insert(PidOf(pool));
  EXPECT_EQ(pool.started(), 3);
}

TEST(CompilePool, StartsNoMoreThanItsWorkers) {
  CompilePoolOptions options = Faulty();
  options.workers = 2;
  CompilePool pool(options);
  std::vector<std::thread> askers;
  for (int i = 0; i < 6; ++i) {
    askers.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(std::holds_alternative<Artifact>(pool.Compile(Does("good"))));
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_LE(pool.started(), 2);
}

TEST(CompilePool, AReferenceThatKillsTheCompilerIsAnError) {
  CompilePool pool(Faulty());
  try {
    pool.Reference(testing::FakeWorkload(13), Does("good").target);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("died of SIGABRT"), std::string::npos) << error.what();
  }
}

TEST(CompilePool, ProgramsThatAreNoCompilerOfThisVersionEndTheRun) {
  // Two of them exit without a word, and one cannot be executed.
  for (const char* program : {"/bin/false", "/etc/passwd", "/bin/cat"}) {
    CompilePoolOptions options;
    options.program = program;
    CompilePool pool(options);
    try {
      pool.Compile(Does("good"));
      FAIL() << program << " compiled";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kNoRunner) << error.what();
      EXPECT_NE(std::string(error.what()).find(program), std::string::npos) << error.what();
    }
  }
}

TEST(CompilePool, SaysWhereItLookedForAProgram) {
  CompilePoolOptions options = Faulty();
  options.program = "/nowhere/hone-compiler";
  CompilePool pool(options);
  EXPECT_THROW(pool.Compile(Does("good")), Error);
  // The failed start has freed its place in the pool, so a second start fails in the same way.
  EXPECT_THROW(pool.Compile(Does("good")), Error);
}

}  // namespace
}  // namespace hone
