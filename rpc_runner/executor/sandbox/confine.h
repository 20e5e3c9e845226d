// Rights that an executor gives up once, for itself and for every candidate.
#pragma once

#include <string>

namespace hone {

// Enters namespaces of its own where the system allows: users, if it is not root; files, of which an empty folder is
// left; processes of its children; network; System V IPC. If it is root, becomes `user` (empty: "nobody") for good and
// gives up all capabilities. Returns what succeeded, as Environment.isolation names it and with a comma before each
// word: ",mount,pid,net,ipc,user". Call it while the process has one thread, after reading all files that it needs. All
// its descendants end with it.
//
// Throws Error(kBadConfig) if there is no such user, if it is root or only root could become it, and if root cannot.
std::string Confine(const std::string& user);

}  // namespace hone
