#include "rpc_runner/wire/socket_options.h"

#include <fmt/format.h>
#include <zmq.h>

#include <array>
#include <cerrno>

#include "core/error.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

void SetOption(void* socket, int option, int value) { zmq_setsockopt(socket, option, &value, sizeof(value)); }

int OptionOf(void* socket, int option) {
  int value = 0;
  size_t size = sizeof(value);
  zmq_getsockopt(socket, option, &value, &size);
  return value;
}

void SetText(void* socket, int option, const std::string& text) {
  if (zmq_setsockopt(socket, option, text.c_str(), text.size()) == 0) return;
  throw Error(ExitCode::kBadConfig, fmt::format("ZeroMQ does not take a key: {}", zmq_strerror(errno)));
}

void SetLimits(void* socket) {
  const int64_t most_bytes = kMaxFrameBytes;
  zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most_bytes, sizeof(most_bytes));
  SetOption(socket, ZMQ_SNDHWM, 64);
  SetOption(socket, ZMQ_RCVHWM, 64);
  SetOption(socket, ZMQ_LINGER, 2000);
  // TCP checks that the peer is alive. The library's own heartbeats end the process (4.3.4, libzmq #4364) if a peer
  // leaves whose messages have not been taken.
  SetOption(socket, ZMQ_TCP_KEEPALIVE, 1);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_IDLE, 2);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_INTVL, 1);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
  SetOption(socket, ZMQ_TCP_MAXRT, 5000);
  SetOption(socket, ZMQ_HANDSHAKE_IVL, 3000);
  SetOption(socket, ZMQ_BACKLOG, 4096);
  // The library adds a random part of the first interval to each. However long a tracker was away, all peers should be
  // back within ten seconds.
  SetOption(socket, ZMQ_RECONNECT_IVL, 100);
  SetOption(socket, ZMQ_RECONNECT_IVL_MAX, 5000);
}

// CURVE's flaws before the handshake (CVE-2019-13132, CVE-2020-15166) were fixed in 4.3.3.
void RequireSafeLibrary() {
  int major = 0, minor = 0, patch = 0;
  zmq_version(&major, &minor, &patch);
  if (std::array{major, minor, patch} >= std::array{4, 3, 3} && zmq_has("curve") != 0) return;
  throw Error(ExitCode::kBadConfig,
              fmt::format("libzmq {}.{}.{} cannot be trusted with keys; 4.3.3 or later with CURVE is wanted", major,
                          minor, patch));
}

}  // namespace hone
