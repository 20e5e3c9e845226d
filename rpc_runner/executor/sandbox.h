// What a job's child may do to the machine.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

// Opens what tells how much is mapped, once, while there are files. Before it address space is not bounded.
void OpenMemoryFile();
// Keeps the count of bytes that are mapped now: LimitResources begins from it, here and in children. The file tells of
// this process alone; its children are to take no memory before.
void KeepMappedBytes();

// Puts the calling process into a process group of its own that dies with `parent`, without core dumps or a way to gain
// rights.
void LeaveParent(int parent);

// Bounds CPU time by the deadline on `threads` threads, and the address space to what is mapped now plus memory_bytes.
void LimitResources(int64_t deadline_ns, int64_t memory_bytes, int threads);

// Closes every other descriptor, forbids new ones, files, processes and threads, and kills the process at any system
// call that a running kernel and its thread pool do not need, in all threads. False when the system has no such filter
// (an emulator, a sanitizer's build).
bool LockDown(int note_fd);

// What the three can do here and ForbidFiles too, as Environment.isolation names it:
// "fork,rlimit,guard,seccomp,landlock". Forks children to find out.
std::string ProbeIsolation();

}  // namespace hone
