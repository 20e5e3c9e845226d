// The list of system calls that a running kernel and its thread pool need.
#pragma once

namespace hone {

// Installs a seccomp filter in every thread of the process: beyond the list, and beyond reading and writing note_fd, a
// call kills the process with SIGSYS. Needs no_new_privs, which it sets. False when the system refuses, or in a
// sanitizer's build, whose runtime needs calls of its own.
bool InstallSyscallFilter(int note_fd);

}  // namespace hone
