#include "rpc_runner/executor/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>

#include "core/error.h"
#include "core/failure.h"
#include "rpc_runner/executor/judge/judge_child.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {

namespace {

uint64_t NewNonce() {
  uint64_t nonce = 0;
  if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce)) nonce = static_cast<uint64_t>(MonotonicNs());
  return nonce | 1;  // 0 is kReady's
}

}  // namespace

ChildProcess::ChildProcess(const ChildTask& task, Nursery& nursery) : watch_fd_(nursery.watch_fd()) {
  const Nursery::Child born = nursery.ForkChild(task);
  pid_ = born.pid;
  fd_ = born.note_fd;
  deadline_.emplace(pid_, task.timing.deadline_ns);
}

ChildProcess::~ChildProcess() {
  Stop();
  close(fd_);
}

void ChildProcess::Stop() {
  // Kills the group first: until the child is reaped, its number cannot belong to another process.
  if (!reaped_) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }
}

bool ChildProcess::WaitReady() { return WaitNote(NoteKind::kReady).has_value(); }

std::optional<ChildNote> ChildProcess::Ask(CommandKind kind, int seed) {
  nonce_ = NewNonce();
  const ChildCommand command{nonce_, kind, seed};
  const bool sent = send(fd_, &command, sizeof(command), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(command));
  // If the child is gone already, waiting for its answer tells why.
  if (!sent && errno != EPIPE && errno != ECONNRESET) {
    return EndWith(Fate::kCancelled, static_cast<int32_t>(ExitCode::kIo),
                   fmt::format("the runner cannot talk to its child: {}", std::strerror(errno)));
  }
  return WaitNote(kind == CommandKind::kTime ? NoteKind::kSamples : NoteKind::kRan);
}

std::nullopt_t ChildProcess::EndWith(Fate fate, int32_t detail, std::string message) {
  Stop();
  ending_ = {fate, detail, std::move(message)};
  return std::nullopt;
}

std::nullopt_t ChildProcess::EndByStatus() {
  // Processes that it started are still in its group.
  kill(-pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  reaped_ = true;
  ending_ = JudgeEnding(status, fault_ ? &*fault_ : nullptr);
  return std::nullopt;
}

bool ChildProcess::HasEnded() const {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

std::optional<ChildNote> ChildProcess::WaitNote(NoteKind expected) {
  for (;;) {
    // Checked before reading its notes: after its end, all of them have arrived.
    const bool ended = HasEnded();
    ChildNote note;
    if (const auto worth = Receive(expected, &note)) {
      if (*worth == NoteVerdict::Worth::kEnding) return std::nullopt;
      if (*worth == NoteVerdict::Worth::kAnswer) return note;
      continue;
    }
    if (ended) return EndByStatus();
    if (IsLate()) return std::nullopt;
    pollfd fds[2] = {{fd_, POLLIN, 0}, {watch_fd_, 0, 0}};
    // A grandchild may hold the socket open, so the loop also checks whether the child has ended.
    poll(fds, watch_fd_ >= 0 ? 2 : 1, static_cast<int>(ProcessDeadline::kCheckEveryNs / 1'000'000));
    if ((fds[1].revents & (POLLHUP | POLLERR)) != 0) throw ParentGone();
  }
}

bool ChildProcess::IsLate() {
  switch (deadline_->Check()) {
    case ProcessDeadline::State::kAhead:
      return false;
    case ProcessDeadline::State::kStarved:
      EndWith(Fate::kCancelled, static_cast<int32_t>(ExitCode::kNoRunner),
              "the machine was too busy to run it within 16 times its deadline");
      return true;
    default:
      EndWith(Fate::kTimedOut, 0, "it was not done by its deadline");
      return true;
  }
}

std::optional<NoteVerdict::Worth> ChildProcess::Receive(NoteKind expected, ChildNote* note) {
  const ssize_t got = recv(fd_, note, sizeof(*note), MSG_DONTWAIT | MSG_TRUNC);
  if (got <= 0) return std::nullopt;
  NoteVerdict verdict = JudgeNote(*note, got, {nonce_, expected});
  if (verdict.worth == NoteVerdict::Worth::kCrashReport) fault_ = *note;
  if (verdict.worth == NoteVerdict::Worth::kEnding) {
    Stop();
    ending_ = std::move(verdict.ending);
  }
  return verdict.worth;
}

JobResult JudgeJob(const std::function<void(JobResult*)>& run) {
  const int64_t begin_ns = MonotonicNs();
  JobResult result;
  try {
    run(&result);
  } catch (const ParentGone&) {
    throw;
  } catch (const NurseryGone&) {
    throw;
  } catch (const std::exception& error) {
    result.measurement = FailedMeasurement(FailureOf(error, Fate::kUnsupported));
  }
  result.measurement.wall_ns = MonotonicNs() - begin_ns;
  return result;
}

}  // namespace hone
