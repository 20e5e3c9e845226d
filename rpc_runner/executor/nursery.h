// The process that forks the processes of jobs, and that itself knows no job.
#pragma once

#include <sys/types.h>

#include "core/error.h"
#include "rpc_runner/executor/job_child.h"

namespace hone {

// Thrown when the nursery has ended. The executor knows jobs by then and cannot make another: it is to end too.
class NurseryGone : public Error {
 public:
  NurseryGone() : Error(ExitCode::kNoRunner, "the process that jobs' processes come from is gone") {}
};

// A process that is forked from this one once, before the first job, and from then on forks the children of jobs. A
// child so begins without what this process has learnt since: it gets its task, whose bytes lie in sealed memory, and
// descriptors of what it works on. It is this process's child all the same (CLONE_PARENT): this one waits for it, kills
// it and outlives it. Not thread-safe.
class Nursery {
 public:
  // Call it once this process is confined, while it has one thread. watch_fd: a descriptor whose hang-up
  // ends the wait for a child; -1 for none. Throws Error(kNoRunner) when the system gives no process.
  explicit Nursery(int watch_fd);
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  struct Born {
    pid_t pid = -1;
    int note_fd = -1;  // this end of the socket on which it obeys; the caller's
  };
  // Throws Error(kNoRunner) when the system gives no process, Error(kIo) when it gives no memory; NurseryGone.
  Born Bear(const ChildTask& task);

  int watch_fd() const { return watch_fd_; }
  // False where a process cannot have children for its parent, as under an emulator and in a sanitizer's build: then
  // this process forks them itself, and they see what it has.
  bool is_apart() const { return socket_ >= 0; }

 private:
  void Start();
  void End();
  bool CanBear();
  Born Send(const ChildTask* task);

  const int watch_fd_;
  int socket_ = -1;
  pid_t pid_ = -1;
};

}  // namespace hone
