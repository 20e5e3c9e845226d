// The fate of a process from how it died.
#pragma once

#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/executor/judge/ending.h"

namespace hone {

// `status` is waitpid's; `fault` is the child's kFault note, or null. docs/reference/protocol.md has the table.
Ending JudgeEnding(int status, const ChildNote* fault);

}  // namespace hone
