// Checks the host that an HTTP request is for.
#pragma once

#include <string>

namespace hone {

// Whether the header Host names this machine: "localhost" or a loopback address, with any port. Other names do not
// count, even if DNS resolves them to loopback. A page for this machine only must refuse other requests, because a
// hostile site's name could be pointed at it to read it.
bool IsLoopbackHost(const std::string& host);

}  // namespace hone
