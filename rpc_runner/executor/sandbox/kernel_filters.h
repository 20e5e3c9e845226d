// Filters of the system's kernel for processes that run a candidate: seccomp for system calls, Landlock for files.
#pragma once

namespace hone {

// Installs a seccomp filter in every thread of the process. Any call kills the process with SIGSYS, except those on the
// list and reading and writing note_fd. Needs no_new_privs, which it sets. Returns false if the system refuses, and in
// a sanitizer's build, whose runtime needs calls of its own.
bool InstallSyscallFilter(int note_fd);

// Forbids the calling thread, and all that it starts, every file that it has not open (Landlock). Newer kernels also
// forbid TCP and other processes' abstract sockets. Returns false if the system has no Landlock, and in a sanitizer's
// build. Needs PR_SET_NO_NEW_PRIVS.
bool ForbidFiles();

}  // namespace hone
