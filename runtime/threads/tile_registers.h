// Intel AMX's tile registers, which Linux lends to a process on request.
#pragma once

namespace hone {

// Whether this process may run instructions on tile registers. The first call requests them from the system, for all
// threads of the process and for its forks. A process started by exec asks anew. False if the CPU has none or the
// system refuses: before Linux 5.16, or when a thread's signal stack is too small for them (AT_MINSIGSTKSZ).
// Thread-safe. Call it before a system call filter is installed.
bool MayUseTileRegisters();

}  // namespace hone
