#include "rpc_runner/executor/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

void ChildProcess::EndByStatus(int status) {
  // The leader is gone but not reaped here: what it may have started is still its group.
  ending_ = JudgeEnding(status, fault_ ? &*fault_ : nullptr);
}

std::optional<ChildNote> ChildProcess::WaitNote(NoteKind expected) {
  for (;;) {
    ChildNote note;
    if (ReadNote(&note)) {
      if (!Hear(note, expected)) return std::nullopt;
      if (note.kind == expected) return note;
      continue;
    }
    if (ending_.fate == Fate::kPolicyViolation) return std::nullopt;
    siginfo_t info = {};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_) {
      if (ReadNote(&note) && Hear(note, expected)) continue;
      kill(-pid_, SIGKILL);
      int status = 0;
      waitpid(pid_, &status, 0);
      reaped_ = true;
      if (ending_.message.empty()) EndByStatus(status);
      return std::nullopt;
    }
    const int64_t left_ns = deadline_ns_ - MonotonicNs();
    if (left_ns <= 0) return EndWith(Fate::kTimedOut, 0, "it was not done by its deadline");
    pollfd fds[2] = {{fd_, POLLIN, 0}, {watch_fd_, 0, 0}};
    poll(fds, watch_fd_ >= 0 ? 2 : 1, static_cast<int>(std::min(left_ns, kLookEveryNs) / 1'000'000) + 1);
    if ((fds[1].revents & (POLLHUP | POLLERR)) != 0) throw ParentGone();
  }
}

bool ChildProcess::ReadNote(ChildNote* note) {
  const ssize_t got = recv(fd_, note, sizeof(*note), MSG_DONTWAIT | MSG_TRUNC);
  if (got <= 0) return false;
  if (got == static_cast<ssize_t>(sizeof(*note))) return true;
  EndWith(Fate::kPolicyViolation, 0, fmt::format("a note of {} bytes came from the kernel's process", got));
  return false;
}

bool ChildProcess::Hear(const ChildNote& note, NoteKind expected) {
  if (note.nonce != nonce_) {
    EndWith(Fate::kPolicyViolation, 0, "a note with a wrong nonce came from the kernel's process");
    return false;
  }
  if (note.kind == NoteKind::kFault) {
    fault_ = note;
    return true;
  }
  if (note.kind == NoteKind::kFailed && note.code >= 0 && note.code <= static_cast<int32_t>(Fate::kCancelled)) {
    EndWith(static_cast<Fate>(note.code), 0, std::string(note.text, strnlen(note.text, sizeof(note.text))));
    return false;
  }
  if (note.kind != expected) {
    EndWith(Fate::kPolicyViolation, 0, "a note of a wrong kind came from the kernel's process");
    return false;
  }
  return true;
}

}  // namespace hone
