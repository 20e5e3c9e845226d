// "tcp://HOST:PORT", parsed strictly: an invalid text is never read as a similar valid one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

struct Address {
  std::string host;   // a name or an IP address, IPv6 without brackets; "*": all addresses of this machine
  uint16_t port = 0;  // 0: any free port
  bool is_ip = false;
  // An address in 127.0.0.0/8, ::1, or the name localhost: no other machine can reach it.
  bool is_loopback = false;

  // The text form. An IPv6 host has brackets, and any free port is "*".
  std::string ToText() const;
};

// The usual text of an IP address. A socket of both kinds reports IPv4 as IPv6 ("::ffff:10.0.0.7"); this removes the
// prefix.
std::string PlainIp(std::string_view ip);
// The subscriber's network: an IPv4 address itself, and the first 64 bits of an IPv6 one, since a subscriber has all
// addresses under these.
std::string NetworkOf(const std::string& ip);

// Parses an address to connect to: HOST is IPv4 in four decimal numbers, [IPv6] or a host name, PORT 1 to 65535. Throws
// Error(kBadConfig) for anything else.
Address ParseAddress(std::string_view text);
// Parses an address to listen at. HOST may also be "*", and PORT 0 or "*" for any free one. The only host name is
// localhost.
Address ParseBindAddress(std::string_view text);

// The kind of address, IPv4 or IPv6, by which a host is reached.
struct NameLookup {
  bool is_ipv6 = false;  // IPv6 is the kind to use
  bool is_sure = true;   // the name only has addresses of that kind
};

// An IP address tells its kind; a name is looked up. If it has addresses of both kinds, the first address that accepts
// a connection within 0.3 s decides. If none does, the first address decides. The peer may only listen at one kind, and
// the library only tries one. Waits for the name service; never throws.
NameLookup LookUp(const Address& address);

}  // namespace hone
