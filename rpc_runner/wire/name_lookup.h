// Chooses the kind of address, IPv4 or IPv6, by which a host is reached.
#pragma once

#include "rpc_runner/wire/address.h"

namespace hone {

struct NameLookup {
  bool is_ipv6 = false;  // IPv6 is the kind to use
  bool is_sure = true;   // the name only has addresses of that kind
};

// An IP address tells its kind; a name is looked up. If it has addresses of both kinds, the first address that accepts
// a connection within 0.3 s decides. If none does, the first address decides. The peer may only listen at one kind, and
// the library only tries one. Waits for the name service; never throws.
NameLookup LookUp(const Address& address);

}  // namespace hone
