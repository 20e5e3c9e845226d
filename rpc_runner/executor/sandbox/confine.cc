#include "rpc_runner/executor/sandbox/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/executor/sandbox/close_descriptors.h"
#include "rpc_runner/executor/sandbox/empty_root.h"
#include "rpc_runner/executor/sandbox/leave_root.h"

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

// Without root, the other namespaces can only be entered from a user namespace, which keeps the user's identity.
bool EnterUsers() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (uid == 0) return true;
  if (unshare(CLONE_NEWUSER) != 0) return false;
  WriteFile("/proc/self/setgroups", "deny");
  return WriteFile("/proc/self/uid_map", fmt::format("{0} {0} 1", uid)) &&
         WriteFile("/proc/self/gid_map", fmt::format("{0} {0} 1", gid));
}

// The first process of a PID namespace: signals from inside do not reach it, and all processes inside end with it. It
// waits for the executor's end of the pipe to close. A death signal would not work: a parent that has left root may not
// signal it.
[[noreturn]] void KeepNamespace(int fd, const std::optional<Account>& account) {
  try {
    LeaveRoot(account);
  } catch (const Error&) {
    _exit(0);  // the executor reports it too
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
  // This process keeps its end open as long as it lives; candidates close theirs.
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

// A sanitizer's runtime does not work in these namespaces.
std::string EnterNamespaces(const std::optional<Account>&) { return ""; }

#endif

}  // namespace

std::string Confine(const std::string& user) {
  // The files that name the account can still be read here.
  const std::optional<Account> account = AccountFor(user);
  // Entered while still root: the other account may not be allowed to.
  const std::string entered = EnterNamespaces(account);
  return entered + (LeaveRoot(account) ? ",user" : "");
}

}  // namespace hone
