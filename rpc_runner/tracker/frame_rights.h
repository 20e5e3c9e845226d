// Which frames a sender's role covers: docs/protocol.md, "Who may say what".
#pragma once

#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/sender.h"

namespace hone {

// Of a frame that is for the tracker itself. Kinds that a tracker does not take are nobody's to refuse: true.
bool MaySay(const Sender& sender, const Frame& frame);
// Of a frame between the ends of a lease.
bool MaySayToRunner(const Sender& sender, FrameKind kind);
bool MaySayToClient(const Sender& sender, FrameKind kind);

}  // namespace hone
