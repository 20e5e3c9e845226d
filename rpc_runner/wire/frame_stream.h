// Frames over a stream socket: the way to the executor and back.
#pragma once

#include <string>

#include "rpc_runner/wire/protocol.h"

namespace hone {

// Writes one frame, waiting as long as it takes. False when the other side is gone. Never raises SIGPIPE.
bool WriteFrame(int fd, const Frame& frame);
// Reads one frame, waiting as long as it takes. False when the other side is gone, also within a frame. Throws
// Error(kBadData) on a bad frame; its lengths are checked before memory is taken.
bool ReadFrame(int fd, Frame* frame);

}  // namespace hone
