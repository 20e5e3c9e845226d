#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "core/error.h"
#include "rpc_runner/executor/sandbox/account.h"
#include "rpc_runner/executor/sandbox/sandbox.h"

namespace hone {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// A folder that exists on every system, where the new root is mounted first.
constexpr const char* kPlace = "/proc";

bool MountEmptyFolder() {
  return mount("none", kPlace, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
               "size=4096,nr_inodes=2,mode=0555") == 0;
}

// After pivot_root the old root lies on top of the new one, so it is unmounted.
bool TurnRoot() {
  return chdir(kPlace) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0 &&
         chdir("/") == 0;
}

// Enters a mount namespace that holds only an empty, read-only folder. Open files stay open, and mapped files stay
// mapped. Returns false, with all files still visible, if the system does not allow it. Needs the right to mount: root,
// or having entered a user namespace. Call it while the process has one thread.
bool EnterEmptyRoot() {
  // MS_PRIVATE keeps these mounts from appearing outside.
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (!MountEmptyFolder()) return false;
  if (TurnRoot()) return true;
  // pivot_root fails on an initramfs, the root that the kernel started with.
  umount2(kPlace, MNT_DETACH);
  return false;
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
  // Opens and reads files before they disappear.
  OpenMemoryFile();
  const std::optional<Account> account = AccountFor(user);
  // Entered while still root: the other account may not be allowed to.
  const std::string entered = EnterNamespaces(account);
  return entered + (LeaveRoot(account) ? ",user" : "");
}

}  // namespace hone
