// Which processes a process has begun, and whether they still run.
#pragma once

#include <sys/types.h>

#include <vector>

namespace hone {

// Those that have not been reaped.
std::vector<pid_t> ChildrenOf(pid_t process);
// A process that ended and that nobody has asked for does not run.
bool IsRunning(pid_t process);

}  // namespace hone
