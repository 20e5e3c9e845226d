// The executor's end of a job's child.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "rpc_runner/executor/child_note.h"
#include "rpc_runner/executor/ending.h"
#include "rpc_runner/executor/judge_note.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/process/process_deadline.h"

namespace hone {

// Thrown when whoever the executor works for is gone.
class ParentGone : public std::runtime_error {
 public:
  ParentGone() : std::runtime_error("the other side of the socket is gone") {}
};

// Has a child born for the task and talks with it. Its process group is killed and reaped when this ends.
class ChildProcess {
 public:
  // While waiting, a hang-up on the nursery's watch_fd throws ParentGone. The clock of timing.deadline_ns starts now.
  // Throws as Nursery::Bear does.
  ChildProcess(const ChildTask& task, Nursery& nursery);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits until the child has loaded its kernel. False: see ending().
  bool WaitReady();
  // Sends a command and waits for its answer. nullopt: see ending().
  std::optional<ChildNote> Ask(CommandKind kind, int seed);
  const Ending& ending() const { return ending_; }
  // Puts the deadline off: the child had to wait for something that is not its own.
  void GiveTime(int64_t ns) { deadline_->GiveTime(ns); }

 private:
  std::optional<ChildNote> WaitNote(NoteKind expected);
  std::optional<NoteVerdict::Worth> Hear(NoteKind expected, ChildNote* note);
  bool HasEnded() const;
  void Stop();
  std::nullopt_t EndWith(Fate fate, int32_t detail, std::string message);
  std::nullopt_t EndByStatus();

  // Whether the deadline is over; then ending() says so.
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

}  // namespace hone
