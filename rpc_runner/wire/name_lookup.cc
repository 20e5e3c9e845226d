#include "rpc_runner/wire/name_lookup.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

namespace hone {
namespace {

constexpr int kMostWaitMs = 300;
constexpr size_t kMostTried = 6;

struct FreeAddresses {
  void operator()(addrinfo* all) const { freeaddrinfo(all); }
};

bool TakesConnection(const addrinfo& at) {
  const int fd = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  bool taken = connect(fd, at.ai_addr, at.ai_addrlen) == 0;
  if (!taken && errno == EINPROGRESS) {
    pollfd item{fd, POLLOUT, 0};
    int error = 1;
    socklen_t size = sizeof(error);
    taken = poll(&item, 1, kMostWaitMs) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  close(fd);
  return taken;
}

bool IsSix(const addrinfo* at) { return at->ai_family == AF_INET6; }

}  // namespace

NameLookup LookUp(const Address& address) {
  if (address.is_ip) return {address.host.find(':') != address.host.npos, true};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  // A name that cannot be looked up at this time may be later.
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAddresses> owner(found);
  std::vector<const addrinfo*> all;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (IsSix(at) || at->ai_family == AF_INET) all.push_back(at);
  }
  if (all.empty()) return {};
  const bool is_first_six = IsSix(all.front());
  const auto is_like_first = [&](const addrinfo* at) { return IsSix(at) == is_first_six; };
  if (std::all_of(all.begin(), all.end(), is_like_first)) return {is_first_six, true};
  for (size_t i = 0; i < std::min(all.size(), kMostTried); ++i) {
    if (TakesConnection(*all[i])) return {IsSix(all[i]), false};
  }
  return {is_first_six, false};
}

}  // namespace hone
