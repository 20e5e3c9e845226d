// Frames over a stream socket, as between a runner and its executor.
#pragma once

#include <string>

#include "rpc_runner/wire/protocol.h"

namespace hone {

// Writes one frame, waiting without limit. Returns false if the peer is gone. Never raises SIGPIPE.
bool WriteFrame(int fd, const Frame& frame);
// Reads one frame, waiting without limit. Returns false if the peer is gone, also within a frame. Throws
// Error(kBadData) for a bad frame; its lengths are checked before memory is allocated.
bool ReadFrame(int fd, Frame* frame);

}  // namespace hone
