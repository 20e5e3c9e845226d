// Packets that carry descriptors from one process to another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace hone {

// As many as the kernel sends with one packet.
inline constexpr size_t kMostDescriptors = 253;

// Sends `bytes` and the descriptors over a socket of packets, waiting while it is full. 0, or the error: E2BIG for too
// many descriptors, EPIPE when the other side is gone.
int SendPacket(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

struct ReceivedPacket {
  ssize_t bytes = 0;       // 0: the other side is gone, or so is the socket
  size_t descriptors = 0;  // that came; they are this process's now
};
// Waits for a packet, whose beginning goes to `bytes` and whose descriptors go to `descriptors`. Takes no memory.
ReceivedPacket ReceivePacket(int socket, std::span<std::byte> bytes, std::span<int, kMostDescriptors> descriptors);

// From now on the packets that come in at the socket say who sent them.
bool AskWhoSends(int socket);
// As ReceivePacket, without descriptors; *sender becomes the sender's number in this process's namespace.
ssize_t ReceiveFrom(int socket, std::span<std::byte> bytes, pid_t* sender);

}  // namespace hone
