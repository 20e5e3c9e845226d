// For whom an HTTP request is.
#pragma once

#include <string>

namespace hone {

// Whether the header Host names this machine itself: "localhost" or an address of the loopback device, with any port. A
// name that leads there by somebody's DNS does not. A page for this machine alone answers no other request, else a site
// whose name was made to lead here could read it.
bool IsLoopbackHost(const std::string& host);

}  // namespace hone
