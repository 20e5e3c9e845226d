// Limits on what a job's child may do to the machine.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Opens the file that tells how much is mapped. Call it once, before files disappear; without it address space is
// unlimited.
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

// Closes every other descriptor and forbids new ones, files, processes and threads. In all threads, kills the process
// at any system call that a running kernel and its thread pool do not need. Returns false if the system has no such
// filter (an emulator, a sanitizer's build).
bool LockDown(int note_fd);

// The parts of these limits, and of ForbidFiles, that work here, as Environment.isolation names them:
// "fork,rlimit,guard,seccomp,landlock". Forks children to find out.
std::string ProbeIsolation();

}  // namespace hone
