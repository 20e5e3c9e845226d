// How a dying child says where it died.
#pragma once

#include "rpc_runner/executor/child_note.h"
#include "rpc_runner/executor/guarded_buffer.h"

namespace hone {

// Installs handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT that write one kFault note to note_fd and let the
// signal kill the process. `nonce` is read when the fault comes. For a job's child alone.
void ReportFaults(int note_fd, const uint64_t* nonce);
// Gives the calling thread a stack of its own for those handlers, so that a stack overflow is reported too.
void UseFaultStack();
// Faults near this buffer are reported as operand `operand`'s. At most 32 buffers.
void WatchBuffer(const GuardedBuffer& buffer, int operand);

}  // namespace hone
