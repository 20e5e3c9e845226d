// Limits on what an executor's processes may do to the machine. The executor calls Confine once, for itself and for
// every candidate. A job's child calls LeaveParent, LimitResources and LockDown, in this order.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Enters namespaces of its own where the system allows: users, if it is not root; files; processes of its children;
// network; System V IPC. Of the files, only an empty folder is left. If it is root, becomes `user` for good (empty:
// "nobody") and gives up all capabilities. Returns what succeeded, as Environment.isolation names it and with a comma
// before each word: ",mount,pid,net,ipc,user". Call it while the process has one thread, after reading all files that
// it needs. All its descendants end with it.
//
// Throws Error(kBadConfig) if there is no such user, if it is root or only root could become it, and if root cannot.
std::string Confine(const std::string& user);

// Opens the file that tells how much is mapped, before files disappear. Without it address space is unlimited. Confine
// calls it.
void OpenMemoryFile();
// Stores the number of bytes mapped at this time: LimitResources starts from it, here and in children. The file only
// describes this process, so its children must not allocate before LimitResources.
void KeepMappedBytes();

// Moves the calling process into a process group of its own that dies with `parent`. Switches off core dumps and ways
// to gain rights.
void LeaveParent(int parent);

// Closes every inherited descriptor from `first` on except `fd`. Before Linux 5.9, only those below 4,096.
void CloseAllBut(int fd, int first = 0);

// Limits CPU time to the deadline on `threads` threads, and address space to the current size plus memory_bytes.
void LimitResources(int64_t deadline_ns, int64_t memory_bytes, int threads);

// Forbids the calling thread, and all that it starts, every file that it has not open (Landlock). Newer kernels also
// forbid TCP and other processes' abstract sockets. Returns false if the system has no Landlock, and in a sanitizer's
// build. Needs PR_SET_NO_NEW_PRIVS.
bool ForbidFiles();

// Installs a seccomp filter in every thread of the process. Any call kills the process with SIGSYS, except those that a
// running kernel and its thread pool need, and reading and writing note_fd. Needs no_new_privs, which it sets. Returns
// false if the system refuses, and in a sanitizer's build, whose runtime needs calls of its own.
bool InstallSyscallFilter(int note_fd);

// Installs a seccomp filter for a whole program such as a runtime's adapter: it refuses new namespaces, mounts, sockets
// other than AF_UNIX, watching other processes, and memory that no limit counts. Returns false as InstallSyscallFilter.
bool ForbidEscapes();

// Closes every other descriptor, forbids new ones, files, processes and threads, and installs the system-call filter.
// Returns whether there is one.
bool LockDown(int note_fd);

// The parts of these limits that work here, as Environment.isolation names them: "fork,rlimit,guard,seccomp,landlock".
// Forks children to find out.
std::string ProbeIsolation();

}  // namespace hone
