// The executor as a process of ours.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace hone {

// The hone-runner program: beside the running program, else $HONE_RUNNER_PROGRAM. Throws Error(kNoRunner) naming both
// places.
std::string FindRunnerProgram();

// A spawned `hone-runner --executor`, in a process group of its own so that a terminal's signals do not reach it. The
// socketpair is closed when this ends; the executor then leaves by itself, and is killed after 2 s if it has not.
class ExecutorProcess {
 public:
  // Throws Error(kNoRunner) when it cannot be started.
  explicit ExecutorProcess(const std::vector<int>& cores);
  ~ExecutorProcess();
  ExecutorProcess(const ExecutorProcess&) = delete;
  ExecutorProcess& operator=(const ExecutorProcess&) = delete;

  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }

 private:
  int fd_ = -1;
  pid_t pid_ = -1;
};

}  // namespace hone
