// Forbids files and network by the kernel's Landlock.
#pragma once

namespace hone {

// Forbids the calling thread, and all that it starts, every file that it has not open. Newer kernels also forbid TCP
// and other processes' abstract sockets. Returns false if the system has no Landlock, and in a sanitizer's build. Needs
// PR_SET_NO_NEW_PRIVS.
bool ForbidFiles();

}  // namespace hone
