#include "rpc_runner/executor/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

#include "rpc_runner/executor/leave_root.h"

namespace hone {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

bool WriteFile(const char* path, std::string_view text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

// Whoever is not root may only enter the others from a namespace of users, in which it stays who it is.
bool EnterUsers() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (uid == 0) return true;
  if (unshare(CLONE_NEWUSER) != 0) return false;
  WriteFile("/proc/self/setgroups", "deny");
  return WriteFile("/proc/self/uid_map", fmt::format("{0} {0} 1", uid)) &&
         WriteFile("/proc/self/gid_map", fmt::format("{0} {0} 1", gid));
}

// The first process of a namespace: signals of the others do not reach it, and they all end with it.
[[noreturn]] void KeepNamespace(pid_t executor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_IGN);
  // Seen from inside, the parent has no number while it lives.
  if (getppid() != 0 && getppid() != executor) _exit(0);
#ifdef SYS_close_range
  syscall(SYS_close_range, 0u, ~0u, 0u);
#endif
  for (;;) pause();
}

bool EnterProcesses() {
  if (unshare(CLONE_NEWPID) != 0) return false;
  const pid_t executor = getpid();
  const pid_t keeper = fork();
  if (keeper == 0) KeepNamespace(executor);
  return keeper > 0;
}

std::string EnterNamespaces() {
  if (!EnterUsers()) return "";
  std::string entered;
  if (EnterProcesses()) entered += ",pid";
  if (unshare(CLONE_NEWNET) == 0) entered += ",net";
  if (unshare(CLONE_NEWIPC) == 0) entered += ",ipc";
  return entered;
}

#else

// A sanitizer's runtime has its own ways with processes.
std::string EnterNamespaces() { return ""; }

#endif

}  // namespace

std::string Confine(const std::string& user) {
  // First: root may enter them, and whom it becomes may not.
  const std::string entered = EnterNamespaces();
  return entered + (LeaveRoot(user) ? ",user" : "");
}

}  // namespace hone
