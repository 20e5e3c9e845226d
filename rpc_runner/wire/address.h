// "tcp://HOST:PORT", read strictly: what is not one is never taken for a near one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct Address {
  std::string host;   // a name or an IP address, an IPv6 one without its brackets; "*": all of this machine's
  uint16_t port = 0;  // 0: any free one
  bool is_ip = false;
  // In 127.0.0.0/8, ::1, or the name localhost: nobody from another machine gets there.
  bool is_loopback = false;

  // With an IPv6 host in brackets, and any free port as "*".
  std::string ToText() const;
};

// An IP address as people know it: one of IPv4 that a socket of both kinds tells as IPv6 ("::ffff:10.0.0.7") without
// what was put before it.
std::string PlainIp(std::string_view ip);
// Whose the address is: of IPv4 itself, of IPv6 its first 64 bits, of which one subscriber has all addresses.
std::string NetworkOf(const std::string& ip);

// To connect to: HOST is IPv4 in four decimal numbers, [IPv6] or a host name, PORT 1 to 65535. Throws
// Error(kBadConfig) on anything else.
Address ParseAddress(std::string_view text);
// To listen at: also HOST "*", and PORT 0 or "*" for any free one; no name but localhost.
Address ParseBindAddress(std::string_view text);

}  // namespace hone
