#include "rpc_runner/wire/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"

namespace hone {
namespace {

constexpr std::string_view kScheme = "tcp://";
constexpr size_t kMostHostBytes = 253;
constexpr size_t kMostShownBytes = 200;

bool IsHostName(std::string_view host) {
  if (host.empty() || host.size() > kMostHostBytes || host.front() == '-' || host.front() == '.') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // Internet host names have no underscores, but many container names do.
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '.' || c == '_';
  };
  // A last label of digits would be a damaged IPv4 address, which resolvers interpret differently.
  const std::string_view last = host.substr(host.rfind('.') == host.npos ? 0 : host.rfind('.') + 1);
  return std::all_of(host.begin(), host.end(), fits) && !std::all_of(last.begin(), last.end(), is_digit);
}

// Returns false if the host is none of the three kinds.
bool ReadHost(std::string_view host, Address* address) {
  std::array<unsigned char, 16> bytes{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    address->host = host.substr(1, host.size() - 2);
    address->is_ip = inet_pton(AF_INET6, address->host.c_str(), bytes.data()) == 1;
    static constexpr std::array<unsigned char, 16> kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    address->is_loopback = address->is_ip && bytes == kLoopback;
    return address->is_ip;
  }
  address->host = host;
  address->is_ip = inet_pton(AF_INET, address->host.c_str(), bytes.data()) == 1;
  address->is_loopback = (address->is_ip && bytes[0] == 127) || host == "localhost";
  return address->is_ip || IsHostName(host);
}

std::optional<uint16_t> ReadPort(std::string_view text) {
  const std::optional<int64_t> port = ParseInteger(text);
  if (!port || *port < 0 || *port > 65535 || text.front() == '-') return std::nullopt;
  return static_cast<uint16_t>(*port);
}

[[noreturn]] void RefuseAddress(std::string_view text, std::string_view right) {
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} is not an address; {} would be right", Shortened(text, kMostShownBytes), right));
}

Address Parse(std::string_view text, bool to_bind) {
  const std::string_view right =
      to_bind ? "tcp://IP:PORT with a port of 1 to 65535 or *" : "tcp://HOST:PORT with a port of 1 to 65535";
  const size_t colon = text.rfind(':');
  if (!text.starts_with(kScheme) || colon < kScheme.size()) RefuseAddress(text, right);
  const std::string_view host = text.substr(kScheme.size(), colon - kScheme.size());
  const std::string_view port = text.substr(colon + 1);
  Address address;
  if (to_bind && host == "*") {
    address.host = "*";
  } else if (!ReadHost(host, &address) || (to_bind && !address.is_ip && host != "localhost")) {
    RefuseAddress(text, right);
  }
  if (to_bind && port == "*") return address;
  const std::optional<uint16_t> number = ReadPort(port);
  if (!number || (*number == 0 && !to_bind)) RefuseAddress(text, right);
  address.port = *number;
  return address;
}

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

std::string PlainIp(std::string_view ip) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool is_mapped = ip.starts_with(kMapped) && ip.find('.') != ip.npos;
  return std::string(is_mapped ? ip.substr(kMapped.size()) : ip);
}

std::string NetworkOf(const std::string& ip) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, ip.c_str(), bytes.data()) != 1 || PlainIp(ip) != ip) return PlainIp(ip);
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

std::string Address::ToText() const {
  const bool six = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}:{}", kScheme, six ? "[" : "", host, six ? "]" : "",
                     port == 0 ? "*" : fmt::format("{}", port));
}

Address ParseAddress(std::string_view text) { return Parse(text, false); }

Address ParseBindAddress(std::string_view text) { return Parse(text, true); }

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
