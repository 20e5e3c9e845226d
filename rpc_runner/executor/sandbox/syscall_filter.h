// The system calls that a running kernel and its thread pool need.
#pragma once

namespace hone {

// Installs a seccomp filter in every thread of the process. Any call kills the process with SIGSYS, except those on the
// list and reading and writing note_fd. Needs no_new_privs, which it sets. Returns false if the system refuses, and in
// a sanitizer's build, whose runtime needs calls of its own.
bool InstallSyscallFilter(int note_fd);

}  // namespace hone
