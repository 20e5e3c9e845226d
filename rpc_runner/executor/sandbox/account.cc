#include "rpc_runner/executor/sandbox/account.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

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

bool WriteFile(const char* path, std::string_view text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

}  // namespace

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

bool LeaveRoot(const std::optional<Account>& account) {
  const bool left = !account || BecomeAccount(*account);
  DropCapabilities();
  return left;
}

bool EnterUsers() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (uid == 0) return true;
  if (unshare(CLONE_NEWUSER) != 0) return false;
  WriteFile("/proc/self/setgroups", "deny");
  return WriteFile("/proc/self/uid_map", fmt::format("{0} {0} 1", uid)) &&
         WriteFile("/proc/self/gid_map", fmt::format("{0} {0} 1", gid));
}

}  // namespace hone
