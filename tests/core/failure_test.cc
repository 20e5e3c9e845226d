#include "core/failure.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace hone {
namespace {

constexpr int Exited(int code) { return code << 8; }

Failure Ended(int status, const std::string& words = "", int64_t peak_bytes = 0) {
  return FailureOfEnding("the compiler", {status, words, peak_bytes, 1 << 20}, Fate::kCompileFailed);
}

TEST(FailureOf, WhatTheSystemRefusesIsTheMachines) {
  const auto code_of = [](const std::exception& error) {
    const Failure failure = FailureOf(error, Fate::kCompileFailed);
    EXPECT_EQ(FateName(failure.fate), "Cancelled") << error.what();
    EXPECT_FALSE(failure.reason.empty());
    return failure.code;
  };
  EXPECT_EQ(code_of(Error(ExitCode::kCannotCreate, "no folder")), ExitCode::kCannotCreate);
  EXPECT_EQ(code_of(Error(ExitCode::kNoRunner, "no compiler")), ExitCode::kNoRunner);
  EXPECT_EQ(code_of(Error(ExitCode::kBug, "lld failed: cannot open k.o: Too many open files")), ExitCode::kIo);
  EXPECT_EQ(code_of(std::bad_alloc()), ExitCode::kIo);
  EXPECT_EQ(code_of(std::system_error(EAGAIN, std::generic_category())), ExitCode::kIo);
}

TEST(FailureOf, EverythingElseIsTheCandidates) {
  EXPECT_EQ(FailureOf(Error(ExitCode::kBug, "lld failed: undefined symbol: expf"), Fate::kCompileFailed).fate,
            Fate::kCompileFailed);
  EXPECT_EQ(FailureOf(Error(ExitCode::kBadConfig, "built for another machine"), Fate::kUnsupported).fate,
            Fate::kUnsupported);
  EXPECT_EQ(FailureOf(std::runtime_error("no such register"), Fate::kCompileFailed).reason, "no such register");
}

TEST(FailureOfEnding, ACrashIsTheCandidates) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGTRAP}) {
    EXPECT_EQ(Ended(signal, "LLVM ERROR: cannot select").fate, Fate::kCompileFailed) << signal;
  }
  EXPECT_EQ(Ended(SIGABRT, "LLVM ERROR: cannot select").reason,
            "the compiler died of SIGABRT: LLVM ERROR: cannot select");
  EXPECT_EQ(Ended(Exited(1), "LLVM ERROR: cannot select").fate, Fate::kCompileFailed);
  EXPECT_EQ(Ended(SIGXCPU).fate, Fate::kTimedOut);
}

TEST(FailureOfEnding, WhatComesFromOutsideIsTheMachines) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGBUS, SIGXFSZ, SIGSYS, SIGQUIT, SIGUSR1}) {
    EXPECT_EQ(Ended(signal).fate, Fate::kCancelled) << signal;
  }
  EXPECT_EQ(Ended(Exited(0)).fate, Fate::kCancelled);
  EXPECT_EQ(Ended(Exited(127), "error while loading shared libraries").fate, Fate::kCancelled);
  const Failure full = Ended(Exited(1), "LLVM ERROR: IO failure on output stream: No space left on device");
  EXPECT_EQ(full.fate, Fate::kCancelled);
  EXPECT_EQ(full.code, ExitCode::kIo);
}

TEST(FailureOfEnding, MemoryIsTheCandidatesOnceItHadAllOfIt) {
  EXPECT_EQ(Ended(SIGABRT, "LLVM ERROR: out of memory", 100).fate, Fate::kCancelled);
  EXPECT_EQ(Ended(SIGABRT, "LLVM ERROR: out of memory", 900 << 10).fate, Fate::kCompileFailed);
}

TEST(BlamesForMachine, FindsWhatOlderVersionsTookForVerdicts) {
  for (const char* message : {
           "cannot create a folder like /nonexistent/hone-link-XXXXXX: No such file or directory",
           "lld failed: failed to write output '/tmp/hone-link-a/k.so': No space left on device",
           "memfd_create: Too many open files",
           "the compiler died of SIGBUS",
           "the compiler died of SIGXFSZ",
           "the compiler died of SIGSYS: some words",
           "the compiler ended with exit code 127",
           "the compiler does not start",
           "the reference of nn.dense data=1x64: cannot create a folder like /x: Permission denied",
       }) {
    EXPECT_TRUE(BlamesForMachine(Fate::kCompileFailed, message)) << message;
  }
  EXPECT_TRUE(BlamesForMachine(Fate::kUnsupported, "the reference cannot run here: it died of SIGBUS"));
  EXPECT_TRUE(BlamesForMachine(Fate::kOutOfMemory, "the runner has no memory for the job"));
  EXPECT_TRUE(BlamesForMachine(Fate::kOutOfMemory, "the system gave 2 of 4 threads: Resource temporarily unavailable"));
}

TEST(BlamesForMachine, LeavesVerdictsAlone) {
  EXPECT_FALSE(BlamesForMachine(Fate::kCompileFailed, "the compiler died of SIGABRT: LLVM ERROR: cannot select"));
  EXPECT_FALSE(BlamesForMachine(Fate::kCompileFailed, "the compiler ended with exit code 1: LLVM ERROR: bad"));
  EXPECT_FALSE(BlamesForMachine(Fate::kCompileFailed, "lld failed: undefined symbol: expf"));
  EXPECT_FALSE(BlamesForMachine(Fate::kInvalidConfig, "No space left on device"));
  EXPECT_FALSE(BlamesForMachine(Fate::kUnsupported, "4 threads were asked for; this runner has 2 cores"));
  EXPECT_FALSE(BlamesForMachine(Fate::kOutOfMemory, "it needs 900 bytes, 800 are allowed"));
  EXPECT_FALSE(BlamesForMachine(Fate::kTimedOut, "it was not done by its deadline"));
  EXPECT_FALSE(BlamesForMachine(Fate::kCrashed, "it died of SIGBUS"));
}

}  // namespace
}  // namespace hone
