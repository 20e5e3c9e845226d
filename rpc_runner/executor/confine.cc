#include "rpc_runner/executor/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/executor/close_descriptors.h"
#include "rpc_runner/executor/empty_root.h"
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

// The first process of a namespace: signals of the others do not reach it, and they all end with it. It waits for the
// executor's end of the pipe to close; a death signal from a parent that has left root would not be allowed to reach
// it.
[[noreturn]] void KeepNamespace(int fd, const std::optional<Account>& account) {
  try {
    LeaveRoot(account);
  } catch (const Error&) {
    _exit(0);  // the executor says it too
  }
  signal(SIGCHLD, SIG_IGN);
  CloseAllBut(fd);
  char byte = 0;
  while (read(fd, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

bool EnterProcesses(const std::optional<Account>& account) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  const bool entered = unshare(CLONE_NEWPID) == 0;
  const pid_t keeper = entered ? fork() : -1;
  if (keeper == 0) {
    close(fds[1]);
    KeepNamespace(fds[0], account);
  }
  close(fds[0]);
  // The other end stays open as long as this process lives; candidates close theirs.
  if (keeper < 0) close(fds[1]);
  return keeper > 0;
}

std::string EnterNamespaces(const std::optional<Account>& account) {
  if (!EnterUsers()) return "";
  std::string entered;
  if (EnterEmptyRoot()) entered += ",mount";
  if (EnterProcesses(account)) entered += ",pid";
  if (unshare(CLONE_NEWNET) == 0) entered += ",net";
  if (unshare(CLONE_NEWIPC) == 0) entered += ",ipc";
  return entered;
}

#else

// A sanitizer's runtime has its own ways with processes.
std::string EnterNamespaces(const std::optional<Account>&) { return ""; }

#endif

}  // namespace

std::string Confine(const std::string& user) {
  // While there are files that say who it is.
  const std::optional<Account> account = AccountFor(user);
  // Before root is left: it may enter them, and whom it becomes may not.
  const std::string entered = EnterNamespaces(account);
  return entered + (LeaveRoot(account) ? ",user" : "");
}

}  // namespace hone
