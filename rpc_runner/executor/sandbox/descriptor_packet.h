// Packets that carry descriptors between processes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace hone {

// The most descriptors that the kernel sends with one packet.
inline constexpr size_t kMostDescriptors = 253;

// Sends `bytes` and the descriptors over a packet socket, waiting while it is full. Returns 0 or an errno: E2BIG for
// too many descriptors, EPIPE if the peer is gone.
int SendPacket(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

struct ReceivedPacket {
  ssize_t bytes = 0;       // 0: the peer or the socket is gone
  size_t descriptors = 0;  // number received; they belong to this process
};
// Waits for a packet, and stores its beginning in `bytes` and its descriptors in `descriptors`. Allocates nothing.
ReceivedPacket ReceivePacket(int socket, std::span<std::byte> bytes, std::span<int, kMostDescriptors> descriptors);

// Makes later packets at the socket carry their sender's identity. Returns whether it worked.
bool AskWhoSends(int socket);
// As ReceivePacket, without descriptors; *sender becomes the sender's process number in this process's namespace.
ssize_t ReceiveFrom(int socket, std::span<std::byte> bytes, pid_t* sender);

}  // namespace hone
