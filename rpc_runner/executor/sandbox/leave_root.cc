#include "rpc_runner/executor/sandbox/leave_root.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/error.h"

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
  std::FILE* map = std::fopen("/proc/self/uid_map", "r");
  if (map == nullptr) return false;
  unsigned long long inside = 0, outside = 0, count = 0;
  const int fields = std::fscanf(map, "%llu %llu %llu", &inside, &outside, &count);
  std::fclose(map);
  return fields == 3 && (outside != 0 || count < UINT32_MAX);
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

}  // namespace hone
