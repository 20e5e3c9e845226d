// The executor's end of a job's child.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "rpc_runner/executor/judge/judge_child.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/process/process_deadline.h"
#include "rpc_runner/runner.h"

namespace hone {

// Thrown when the process that the executor works for is gone.
class ParentGone : public std::runtime_error {
 public:
  ParentGone() : std::runtime_error("the other side of the socket is gone") {}
};

// Has the nursery fork a child for the task, and talks to it. The destructor kills and reaps its process group.
class ChildProcess {
 public:
  // A hang-up on the nursery's watch_fd during a wait throws ParentGone. The clock of timing.deadline_ns starts at
  // construction. Throws as Nursery::ForkChild does.
  ChildProcess(const ChildTask& task, Nursery& nursery);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until the child has loaded its kernel. Returns false if it ended; see ending().
  bool WaitReady();
  // Sends a command and waits for its answer. Nullopt if the child ended; see ending().
  std::optional<ChildNote> Ask(CommandKind kind, int seed);
  const Ending& ending() const { return ending_; }
  // Extends the deadline: the child had to wait for something outside it.
  void Extend(int64_t ns) { deadline_->Extend(ns); }

 private:
  std::optional<ChildNote> WaitNote(NoteKind expected);
  std::optional<NoteVerdict::Worth> Receive(NoteKind expected, ChildNote* note);
  bool HasEnded() const;
  void Stop();
  std::nullopt_t EndWith(Fate fate, int32_t detail, std::string message);
  std::nullopt_t EndByStatus();

  // Whether the deadline is over; if so, sets ending().
  bool IsLate();

  const int watch_fd_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int fd_ = -1;
  uint64_t nonce_ = 0;
  std::optional<ProcessDeadline> deadline_;  // once there is a child
  std::optional<ChildNote> fault_;
  Ending ending_;
};

// Calls `run`, which fills in a job's result. An exception becomes the fate: Cancelled if the machine is to blame
// (core/failure.h), otherwise Unsupported. wall_ns is the time it took. Only throws ParentGone and NurseryGone.
JobResult JudgeJob(const std::function<void(JobResult*)>& run);

}  // namespace hone
