#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

// The account that root becomes.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  bool may_be_alone = false;  // in a user namespace, which may lack this user
};

// The kernel's overflow id for unmapped users, which belongs to "nobody" on every system that has the name.
constexpr Account kNobody = {65534, 65534};

std::optional<Account> Find(const std::string& user) {
  const passwd* entry = getpwnam(user.empty() ? "nobody" : user.c_str());
  if (entry != nullptr) return Account{entry->pw_uid, entry->pw_gid};
  return user.empty() ? std::optional(kNobody) : std::nullopt;
}

void DropCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  // Fails if there are none to give up.
  (void)syscall(SYS_capset, &header, none);
}

// Whether root of this namespace is another user outside.
bool InUserNamespace() {
  const std::string map = FirstLineOf("/proc/self/uid_map");
  const std::vector<std::string_view> fields = Words(map);  // first id inside, first id outside, their number
  return fields.size() == 3 && (fields[1] != "0" || ParseInteger(fields[2]).value_or(UINT32_MAX) < UINT32_MAX);
}

bool BecomeAccount(const Account& account) {
  if (setgroups(0, nullptr) == 0 && setresgid(account.gid, account.gid, account.gid) == 0 &&
      setresuid(account.uid, account.uid, account.uid) == 0) {
    return true;
  }
  const int reason = errno;
  // The namespace has no other users, and its root has no more rights than its creator.
  if ((reason == EINVAL || reason == EPERM) && account.may_be_alone) return false;
  throw Error(ExitCode::kBadConfig, fmt::format("candidates do not run as root, and root cannot become user {} here: "
                                                "{}; start it as another user",
                                                static_cast<int64_t>(account.uid), std::strerror(reason)));
}

// The account of `user`, or of "nobody" if empty; nullopt for a process that is not root. Reads files. Throws
// Error(kBadConfig) if there is no such user, if it is root, or if a process that is not root should become another
// user.
std::optional<Account> AccountFor(const std::string& user) {
  const bool root = geteuid() == 0 || getuid() == 0;
  if (!root && user.empty()) return std::nullopt;
  std::optional<Account> account = Find(user);
  if (!account) throw Error(ExitCode::kBadConfig, fmt::format("--user {}: there is no such user here", user));
  if (account->uid == 0) {
    throw Error(ExitCode::kBadConfig, fmt::format("--user {}: candidates do not run as root; name another", user));
  }
  if (!root && account->uid != geteuid()) {
    throw Error(ExitCode::kBadConfig, fmt::format("--user {}: only root can run candidates as another user", user));
  }
  if (!root) return std::nullopt;
  account->may_be_alone = InUserNamespace();
  return account;
}

// Becomes the account for good, without other groups, and gives up all capabilities. Returns whether the process is not
// root afterwards. False in a user namespace without other users, whose root has no rights outside. Throws
// Error(kBadConfig) if root cannot become it. Call it while the process has one thread.
bool LeaveRoot(const std::optional<Account>& account) {
  const bool left = !account || BecomeAccount(*account);
  DropCapabilities();
  return left;
}

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
  // Opens and reads files before they disappear.
  OpenMemoryFile();
  const std::optional<Account> account = AccountFor(user);
  // Entered while still root: the other account may not be allowed to.
  const std::string entered = EnterNamespaces(account);
  return entered + (LeaveRoot(account) ? ",user" : "");
}

}  // namespace hone
