#include "rpc_runner/executor/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "rpc_runner/executor/judge_ending.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

// A grandchild may hold the socket open, so the child's end is also asked for.
constexpr int64_t kLookEveryNs = 50'000'000;

uint64_t NewNonce() {
  uint64_t nonce = 0;
  if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce)) nonce = static_cast<uint64_t>(MonotonicNs());
  return nonce | 1;  // 0 is kReady's
}

}  // namespace

ChildProcess::ChildProcess(const ChildTask& task, int watch_fd)
    : deadline_ns_(MonotonicNs() + task.timing.deadline_ns), watch_fd_(watch_fd) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) throw std::bad_alloc();
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ == 0) RunJobChild(task, fds[1], self);
  close(fds[1]);
  fd_ = fds[0];
  if (pid_ < 0) {
    close(fd_);
    throw std::bad_alloc();
  }
}

ChildProcess::~ChildProcess() {
  Stop();
  close(fd_);
}

void ChildProcess::Stop() {
  // The group first: until the child is reaped its number cannot be another's.
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
  // When the child is gone already, waiting for its answer tells why.
  (void)send(fd_, &command, sizeof(command), MSG_NOSIGNAL);
  return WaitNote(kind == CommandKind::kTime ? NoteKind::kSamples : NoteKind::kRan);
}

std::nullopt_t ChildProcess::EndWith(Fate fate, int32_t detail, std::string message) {
  Stop();
  ending_ = {fate, detail, std::move(message)};
  return std::nullopt;
}

std::nullopt_t ChildProcess::EndByStatus() {
  // What it may have started is still its group.
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
    // Before its notes are read: of one that has ended they then are all there.
    const bool ended = HasEnded();
    ChildNote note;
    if (const auto worth = Hear(expected, &note)) {
      if (*worth == NoteVerdict::Worth::kEnding) return std::nullopt;
      if (*worth == NoteVerdict::Worth::kAnswer) return note;
      continue;
    }
    if (ended) return EndByStatus();
    const int64_t left_ns = deadline_ns_ - MonotonicNs();
    if (left_ns <= 0) return EndWith(Fate::kTimedOut, 0, "it was not done by its deadline");
    pollfd fds[2] = {{fd_, POLLIN, 0}, {watch_fd_, 0, 0}};
    poll(fds, watch_fd_ >= 0 ? 2 : 1, static_cast<int>(std::min(left_ns, kLookEveryNs) / 1'000'000) + 1);
    if ((fds[1].revents & (POLLHUP | POLLERR)) != 0) throw ParentGone();
  }
}

std::optional<NoteVerdict::Worth> ChildProcess::Hear(NoteKind expected, ChildNote* note) {
  const ssize_t got = recv(fd_, note, sizeof(*note), MSG_DONTWAIT | MSG_TRUNC);
  if (got <= 0) return std::nullopt;
  NoteVerdict verdict = JudgeNote(*note, got, {nonce_, expected});
  if (verdict.worth == NoteVerdict::Worth::kLastWords) fault_ = *note;
  if (verdict.worth == NoteVerdict::Worth::kEnding) {
    Stop();
    ending_ = std::move(verdict.ending);
  }
  return verdict.worth;
}

}  // namespace hone
