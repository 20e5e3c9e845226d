// Compiles in separate processes, so that a compiler that crashes, hangs or exhausts memory decides a candidate's fate
// and does not end the tuner.
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
  int workers = 1;         // maximum number of processes
  std::vector<int> cores;  // cores that they may run on; empty: those that this process may use
  int64_t deadline_ns = 30'000'000'000;  // for one candidate
  int64_t memory_bytes = int64_t{4} << 30;
  int recycle_after = 1000;  // candidates per process; memory that LLVM keeps is freed with the process
};

// Thread-safe: each call takes an idle worker, starts one, or waits for one.
class CompilePool {
 public:
  // Throws Error(kNoRunner) naming both places when no program is found.
  explicit CompilePool(CompilePoolOptions options);
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // A worker that dies, or that the machine refuses something, proves nothing against its candidate. The candidate is
  // compiled again in a new process while no other one runs, and only then judged (core/failure.h). The candidate's
  // own failures are CompileFailed with the signal and the last words, and TimedOut once the worker had its deadline's
  // time on a processor. The machine's is Cancelled. Throws Error(kNoRunner) when no worker of this version can be
  // started.
  std::variant<Artifact, Rejection> Compile(const Candidate& candidate);
  // Throws Error: kBadData with the reason when it cannot be compiled, or the code of a failure of the machine.
  Artifact Reference(const Workload& workload, const Target& target);

  // The number of processes started so far.
  int started() const;

 private:
  class Worker;
  CompileAnswer Ask(const CompileRequest& request);
  // Sets *again if the answer is not conclusive and a second attempt is worthwhile.
  CompileAnswer AskOnce(const CompileRequest& request, bool alone, bool* again);
  std::unique_ptr<Worker> StartWorker();
  // Returns null when none is idle and another may be started. With `alone` it waits until no other one is busy, and
  // none will be until this one is put back.
  std::unique_ptr<Worker> TakeWorker(bool alone);
  void PutBack(std::unique_ptr<Worker> worker, bool alone);

  CompilePoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Worker>> idle_;
  int busy_ = 0;
  int started_ = 0;
  int want_alone_ = 0;  // calls that wait to be alone or are
};

}  // namespace hone
