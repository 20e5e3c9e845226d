// The processes that a process has started, and whether they still run.
#pragma once

#include <sys/types.h>

#include <vector>

namespace hone {

// The children that have not been reaped.
std::vector<pid_t> ChildrenOf(pid_t process);
// A process that has ended but was not reaped does not count as running.
bool IsRunning(pid_t process);

}  // namespace hone
