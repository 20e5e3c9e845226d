#include "rpc_runner/tracker/http_host.h"

#include "core/error.h"
#include "rpc_runner/wire/address.h"

namespace hone {

bool IsLoopbackHost(const std::string& host) {
  if (host.empty()) return false;
  try {
    const bool has_port = host.rfind(':') != host.npos && host.back() != ']';
    return ParseAddress("tcp://" + host + (has_port ? "" : ":80")).is_loopback;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace hone
