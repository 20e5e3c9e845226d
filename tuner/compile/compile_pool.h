// Compiles in processes of their own, so that a compiler that crashes, hangs or eats all memory is a candidate's fate
// and not the tuner's end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rpc_runner/process/spawned_program.h"
#include "tuner/compile/compile_message.h"

namespace hone {

struct CompilePoolOptions {
  std::string program;     // a compile worker; empty: hone-compiler beside this program, else $HONE_COMPILER_PROGRAM
  int workers = 1;         // processes at most
  std::vector<int> cores;  // that they may run on; empty: wherever this process may
  int64_t deadline_ns = 30'000'000'000;  // for one candidate
  int64_t memory_bytes = int64_t{4} << 30;
  int recycle_after = 1000;  // candidates: what LLVM keeps goes with the process
};

// Thread-safe: each call takes an idle worker, or starts one, or waits for one.
class CompilePool {
 public:
  // Throws Error(kNoRunner) naming both places when there is no program.
  explicit CompilePool(CompilePoolOptions options);
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // A worker that dies is CompileFailed with its signal and last words, one that is not done in time TimedOut. One that
  // is killed (SIGKILL: the kernel wants its memory for others) is no fault of what it compiled: that is compiled again
  // while no other worker runs, and when that one is killed too the fate is Cancelled. Throws Error(kNoRunner) when no
  // worker can be started.
  std::variant<Artifact, Rejection> Compile(const Candidate& candidate);
  // Throws Error(kBadData) with the reason when it cannot be compiled, kNoRunner when the compiler was killed twice.
  Artifact Reference(const Workload& workload, const Target& target);

  // Processes started so far.
  int started() const;
  // Requests that killed the compiler twice and were given up.
  int killed() const;

 private:
  class Worker;
  CompileAnswer Ask(const CompileRequest& request);
  CompileAnswer AskOnce(const CompileRequest& request, bool alone, bool* killed);
  std::unique_ptr<Worker> StartWorker();
  // Null when none is idle and another may be started. Alone: once no other one is busy, and none will be until it is
  // put back.
  std::unique_ptr<Worker> TakeWorker(bool alone);
  void PutBack(std::unique_ptr<Worker> worker, bool alone);

  CompilePoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Worker>> idle_;
  int busy_ = 0;
  int started_ = 0;
  int killed_ = 0;
  int want_alone_ = 0;  // who wait for that, or have it
};

}  // namespace hone
