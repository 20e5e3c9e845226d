// The frames that each role may send: docs/reference/protocol.md, "Who may say what".
#pragma once

#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// For a frame to the tracker itself. True for kinds that a tracker does not take, since those are refused elsewhere.
bool MaySend(const Sender& sender, const Frame& frame);
// For a frame between the ends of a lease.
bool MaySendToRunner(const Sender& sender, FrameKind kind);
bool MaySendToClient(const Sender& sender, FrameKind kind);

}  // namespace hone
