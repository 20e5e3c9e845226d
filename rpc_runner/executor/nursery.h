// The process that forks the jobs' processes and itself knows no job.
#pragma once

#include <sys/types.h>

#include "core/error.h"
#include "rpc_runner/executor/job_child.h"

namespace hone {

// Thrown when the nursery has ended. The executor knows jobs by then, so it cannot fork another and must end too.
class NurseryGone : public Error {
 public:
  NurseryGone() : Error(ExitCode::kNoRunner, "the process that jobs' processes come from is gone") {}
};

// A process that is forked from this one before the first job, and then forks the children of jobs. So a child has none
// of the data that this process gets later. It gets its task, whose bytes lie in sealed memory, and descriptors of its
// inputs and outputs. It is still a child of this process (CLONE_PARENT), which waits for it, kills it and outlives it.
// Not thread-safe.
class Nursery {
 public:
  // Call it once this process is confined, while it has one thread. watch_fd: a descriptor whose hang-up ends the wait
  // for a child, or -1. Throws Error(kNoRunner) if no process can be forked.
  explicit Nursery(int watch_fd);
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  struct Child {
    pid_t pid = -1;
    int note_fd = -1;  // this end of the socket for its notes and commands; owned by the caller
  };
  // Throws Error(kNoRunner) if no process can be forked, Error(kIo) if there is no memory, and NurseryGone.
  Child ForkChild(const ChildTask& task);

  int watch_fd() const { return watch_fd_; }
  // False if the system cannot fork for a parent, as under an emulator and in a sanitizer's build. Then this process
  // forks the children itself, and they can see its memory.
  bool is_apart() const { return socket_ >= 0; }

 private:
  void Start();
  void End();
  bool CanFork();
  Child Send(const ChildTask* task);

  const int watch_fd_;
  int socket_ = -1;
  pid_t pid_ = -1;
};

}  // namespace hone
