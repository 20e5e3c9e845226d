// By which kind of address a host is reached.
#pragma once

#include "rpc_runner/wire/address.h"

namespace hone {

struct NameLookup {
  bool is_ipv6 = false;  // IPv6 is the kind to use
  bool is_sure = true;   // the name has addresses of that kind alone
};

// An address itself tells; a name is looked up. Where it has addresses of both kinds, that of the first one that takes
// a connection within 0.3 s counts, and of the first one where none does: the other end may listen at one kind alone,
// and the library tries one. Waits for the name service; never throws.
NameLookup LookUp(const Address& address);

}  // namespace hone
