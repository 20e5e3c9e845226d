// Intel AMX's tile registers, which Linux lends to a process that asks.
#pragma once

namespace hone {

// Whether this process may run instructions on tile registers. The first call asks the system for them, for all threads
// of the process and for those that it forks; a process that it exec's asks anew. False where the CPU has none, and
// where the system refuses: before Linux 5.16, or when a thread's signal stack is too small to keep them
// (AT_MINSIGSTKSZ). Thread-safe. Call it before a filter of system calls comes.
bool MayUseTileRegisters();

}  // namespace hone
