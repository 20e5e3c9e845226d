// TCP on loopback without ZeroMQ, for peers that behave as no library does.
#pragma once

#include <string>
#include <utility>

namespace hone {

// A silent connection to "tcp://127.0.0.1:PORT". The caller closes it.
int ConnectRaw(const std::string& address);
// A listener on a free port, and its address.
std::pair<int, std::string> ListenRaw();

}  // namespace hone
