#include "rpc_runner/executor/sandbox/descriptor_packet.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace hone {
namespace {

// The ancillary data of a packet (cmsg(3)), aligned as its header.
template <size_t kBytes>
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(kBytes)];
};

using Descriptors = Control<sizeof(int) * kMostDescriptors>;
using SenderCredentials = Control<sizeof(ucred)>;

msghdr MessageOf(iovec* io, void* control, size_t control_bytes) {
  msghdr message{};
  message.msg_iov = io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = control_bytes;
  return message;
}

ssize_t Receive(int socket, msghdr* message) {
  ssize_t got = -1;
  do {
    got = recvmsg(socket, message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? 0 : got;
}

// The data of the first part of this kind; null if there is none.
const cmsghdr* FindPart(msghdr* message, int type) {
  for (cmsghdr* part = CMSG_FIRSTHDR(message); part != nullptr; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == type) return part;
  }
  return nullptr;
}

}  // namespace

int SendPacket(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  if (descriptors.size() > kMostDescriptors) return E2BIG;
  Descriptors control{};
  iovec io{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message = MessageOf(&io, control.bytes, CMSG_SPACE(descriptors.size_bytes()));
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(descriptors.size_bytes());
  if (!descriptors.empty()) std::memcpy(CMSG_DATA(&control.header), descriptors.data(), descriptors.size_bytes());
  ssize_t sent = -1;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

ReceivedPacket ReceivePacket(int socket, std::span<std::byte> bytes, std::span<int, kMostDescriptors> descriptors) {
  Descriptors control{};
  iovec io{bytes.data(), bytes.size()};
  msghdr message = MessageOf(&io, control.bytes, sizeof(control.bytes));
  ReceivedPacket packet{Receive(socket, &message), 0};
  const cmsghdr* const part = packet.bytes > 0 ? FindPart(&message, SCM_RIGHTS) : nullptr;
  if (part == nullptr) return packet;
  packet.descriptors = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  std::memcpy(descriptors.data(), CMSG_DATA(part), packet.descriptors * sizeof(int));
  return packet;
}

bool AskWhoSends(int socket) {
  const int on = 1;
  return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0;
}

ssize_t ReceiveFrom(int socket, std::span<std::byte> bytes, pid_t* sender) {
  SenderCredentials control{};
  iovec io{bytes.data(), bytes.size()};
  msghdr message = MessageOf(&io, control.bytes, sizeof(control.bytes));
  const ssize_t got = Receive(socket, &message);
  const cmsghdr* const part = got > 0 ? FindPart(&message, SCM_CREDENTIALS) : nullptr;
  ucred credentials{};
  if (part != nullptr) std::memcpy(&credentials, CMSG_DATA(part), sizeof(credentials));
  *sender = credentials.pid;
  return got;
}

}  // namespace hone
