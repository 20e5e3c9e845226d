#include "rpc_runner/executor/sandbox/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "rpc_runner/executor/sandbox/sandbox.h"

namespace hone {

namespace {

void Limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  // The limit is only lowered, which is always allowed. A resource that the system does not know stays unlimited.
  (void)setrlimit(static_cast<decltype(RLIMIT_CORE)>(resource), &limit);
}

void Limit(int resource, rlim_t value) { Limit(resource, value, value); }

// This process's file, kept open; a child's is inherited from its parent.
int g_memory_file = -1;
int64_t g_kept_bytes = -1;

int64_t CountMappedBytes() {
  if (g_kept_bytes >= 0) return g_kept_bytes;
  char text[64] = "";
  if (pread(g_memory_file, text, sizeof(text) - 1, 0) <= 0) return -1;
  return std::strtoll(text, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

// A new process has no descriptors above this.
constexpr int kDescriptorEnd = 4096;

// Returns false before Linux 5.9.
bool CloseRange([[maybe_unused]] unsigned first, [[maybe_unused]] unsigned last) {
#ifdef SYS_close_range
  return syscall(SYS_close_range, first, last, 0u) == 0;
#else
  return false;
#endif
}

// Whether exceeding a limit fails: an emulator accepts address limits and ignores them.
bool LimitsHold() {
  constexpr int64_t kAllowed = int64_t{64} << 20, kTooMuch = int64_t{512} << 20;
  const int64_t mapped_bytes = CountMappedBytes();
  if (mapped_bytes < 0) return false;
  Limit(RLIMIT_AS, static_cast<rlim_t>(mapped_bytes + kAllowed));
  Limit(RLIMIT_NOFILE, 0);
  Limit(RLIMIT_NPROC, 0);
  void* const mapped = mmap(nullptr, kTooMuch, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  rlimit processes{};
  return mapped == MAP_FAILED && dup(STDERR_FILENO) < 0 && getrlimit(RLIMIT_NPROC, &processes) == 0 &&
         processes.rlim_max == 0;
}

// Tries a step in a child, because a process can only do it to itself.
bool WorksInAChild(bool (*step)()) {
  const pid_t child = fork();
  if (child == 0) _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && step() ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

void OpenMemoryFile() { g_memory_file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC); }

void KeepMappedBytes() { g_kept_bytes = CountMappedBytes(); }

void LeaveParent(int parent) {
  // Not a session, which would leave the scheduler group, and so the priority, that the user chose.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  Limit(RLIMIT_CORE, 0);
  // The parent may have died before the death signal was set. A parent in another PID namespace has the number 0.
  if (const pid_t now = getppid(); now != parent && now != 0) _exit(1);
}

void CloseAllBut(int fd, int first) {
  const auto kept = static_cast<unsigned>(fd);
  const bool below = fd <= first || CloseRange(static_cast<unsigned>(first), kept - 1);
  if (below && CloseRange(kept + 1, ~0u)) return;
  for (int i = first; i < kDescriptorEnd; ++i) {
    if (i != fd) close(i);
  }
}

void LimitResources(int64_t deadline_ns, int64_t memory_bytes, int threads) {
  const int64_t seconds = std::clamp<int64_t>(deadline_ns / 1'000'000'000, 0, 86'400) + 2;
  // The soft limit sends SIGXCPU; the hard limit sends SIGKILL, which does not tell the reason.
  Limit(RLIMIT_CPU, static_cast<rlim_t>(seconds * threads), static_cast<rlim_t>(seconds * threads + 1));
  // Guards and thread stacks take address space but not memory.
  const int64_t stacks_bytes = (int64_t{256} << 20) + threads * (int64_t{16} << 20);
  const int64_t mapped_bytes = CountMappedBytes();
  if (mapped_bytes >= 0) Limit(RLIMIT_AS, static_cast<rlim_t>(mapped_bytes + memory_bytes + stacks_bytes));
}

bool LockDown(int note_fd) {
  CloseAllBut(note_fd);
  Limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__
  // A sanitizer's runtime tests through a pipe whether memory can be read, so it needs descriptors.
  Limit(RLIMIT_NOFILE, 0);
#endif
  Limit(RLIMIT_MEMLOCK, 0);
  Limit(RLIMIT_MSGQUEUE, 0);
#ifndef __SANITIZE_THREAD__
  Limit(RLIMIT_NPROC, 0);
#endif
  return InstallSyscallFilter(note_fd);
}

std::string ProbeIsolation() {
  std::string isolation = "fork";
  if (WorksInAChild(LimitsHold)) isolation += ",rlimit";
  isolation += ",guard";
  if (WorksInAChild([] { return InstallSyscallFilter(2); })) isolation += ",seccomp";
  if (WorksInAChild(ForbidFiles)) isolation += ",landlock";
  return isolation;
}

}  // namespace hone
