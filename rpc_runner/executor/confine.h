// What an executor gives up for itself and for every candidate, once.
#pragma once

#include <string>

namespace hone {

// Enters namespaces of its own where the system allows (users, for one that is not root; files, see EnterEmptyRoot;
// what its children see as processes; network; System V IPC) and becomes `user` if it is root (see LeaveRoot). What was
// reached, as Environment.isolation names it and with a comma before each word: ",mount,pid,net,ipc,user". Throws Error
// as AccountFor and LeaveRoot do. Call it while the process has one thread, and read what it needs of files before. Its
// children then end with it, those that they left behind too.
std::string Confine(const std::string& user);

}  // namespace hone
