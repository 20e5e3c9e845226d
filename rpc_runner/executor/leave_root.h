// Candidates never run as root.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace hone {

// Whom root becomes.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  bool may_be_alone = false;  // in a user namespace, which may have no such user
};

// `user`, or "nobody" when it is empty; nothing for a process that is not root. Reads files. Throws Error(kBadConfig)
// when there is no such user, it is root, or a process that is not root is to become another.
std::optional<Account> AccountFor(const std::string& user);

// Becomes the account, without other groups and for good, and gives up all capabilities. True when the process is not
// root afterwards; false in a user namespace that maps nobody else, whose root is nobody outside. Throws
// Error(kBadConfig) when root cannot become it. Call it while the process has one thread.
bool LeaveRoot(const std::optional<Account>& account);

}  // namespace hone
