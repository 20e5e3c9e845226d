// Candidates never run as root.
#pragma once

#include <string>

namespace hone {

// When this process is root it becomes `user` ("nobody" when empty), without other groups and for good. In any case it
// gives up its capabilities. True when it is not root afterwards; false in a user namespace that maps nobody else,
// whose root is nobody outside. Throws Error(kBadConfig) when there is no such user, it is root, root cannot become it,
// or a process that is not root is to become another. Call it while the process has one thread.
bool LeaveRoot(const std::string& user);

}  // namespace hone
