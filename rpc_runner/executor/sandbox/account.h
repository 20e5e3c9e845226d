// The user that confined programs run as.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace hone {

// The account that root becomes.
struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
  bool may_be_alone = false;  // in a user namespace, which may lack this user
};

// The account of `user`, or of "nobody" if empty; nullopt for a process that is not root. Reads files. Throws
// Error(kBadConfig) if there is no such user, if it is root, or if a process that is not root should become another
// user.
std::optional<Account> AccountFor(const std::string& user);

// Becomes the account for good, without other groups, and gives up all capabilities. Returns whether the process is not
// root afterwards. False in a user namespace without other users, whose root has no rights outside. Throws
// Error(kBadConfig) if root cannot become it. Call it while the process has one thread.
bool LeaveRoot(const std::optional<Account>& account);

// Without root, the other namespaces can only be entered from a user namespace, which keeps the user's identity. Enters
// one unless the process is root. Returns false if the system does not allow it. Call it while the process has one
// thread.
bool EnterUsers();

}  // namespace hone
