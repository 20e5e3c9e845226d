// Rights that an executor gives up once, for itself and for every candidate.
#pragma once

#include <string>

namespace hone {

// Enters namespaces of its own where the system allows: users, if it is not root; files (see EnterEmptyRoot); processes
// of its children; network; System V IPC. Becomes `user` if it is root (see LeaveRoot). Returns what succeeded, as
// Environment.isolation names it and with a comma before each word: ",mount,pid,net,ipc,user". Throws Error as
// AccountFor and LeaveRoot do. Call it while the process has one thread, after reading all files that it needs. All its
// descendants end with it.
std::string Confine(const std::string& user);

}  // namespace hone
