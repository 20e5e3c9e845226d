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

  // A worker that dies, or that the machine refuses something, is no proof against what it compiled: that is compiled
  // again in a new process while no other one runs, and only then judged (core/failure.h). The candidate's own are
  // CompileFailed with the signal and the last words, and TimedOut once the worker had its deadline's time on a
  // processor; the machine's is Cancelled. Throws Error(kNoRunner) when no worker of this version can be started.
  std::variant<Artifact, Rejection> Compile(const Candidate& candidate);
  // Throws Error: kBadData with the reason when it cannot be compiled, of the machine's failures their code.
  Artifact Reference(const Workload& workload, const Target& target);

  // Processes started so far.
  int started() const;

 private:
  class Worker;
  CompileAnswer Ask(const CompileRequest& request);
  // again: whether the answer says too little to be believed at once.
  CompileAnswer AskOnce(const CompileRequest& request, bool alone, bool* again);
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
  int want_alone_ = 0;  // who wait for that, or have it
};

}  // namespace hone
