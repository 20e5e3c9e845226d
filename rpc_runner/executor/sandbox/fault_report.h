// Reports from a dying child where it faulted.
#pragma once

#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/executor/memory/shared_region.h"

namespace hone {

// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT that write one kFault note to note_fd and let the
// signal kill the process. `nonce` is read at the fault. Only for a job's child.
void ReportFaults(int note_fd, const uint64_t* nonce);
// Gives the calling thread a stack of its own for those handlers, so that a stack overflow is reported too.
void UseFaultStack();
// Reports faults near this buffer as faults of operand `operand`. At most 32 buffers.
void WatchBuffer(const GuardedBuffer& buffer, int operand);

}  // namespace hone
