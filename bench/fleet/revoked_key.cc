#include "bench/fleet/revoked_key.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>

#include "bench/fleet/fleet_jobs.h"
#include "core/error.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone::bench {
namespace {

void Await(const std::function<bool()>& holds, const std::string& what) {
  for (const int64_t begin_ns = MonotonicNs(); !holds(); Sleep(5 * kMillisecond)) {
    if (SecondsSince(begin_ns) > 60) throw Error(ExitCode::kNoRunner, fmt::format("{} within a minute", what));
  }
}

}  // namespace

double SecondsToClose(const std::string& tracker, const FleetKeys& keys, const std::string& name) {
  SocketContext context(ClientSecurity(keys.Admit(name), tracker));
  Socket socket(context, Socket::Kind::kDealer);
  socket.Connect(tracker);
  socket.DropUnsent();
  socket.Send("", {FrameKind::kStatusQuery, Json::object(), {}});
  Socket::Message answer;
  // The tracker reads the list again within a second, so the first tries may be refused.
  Await([&] { return socket.Receive(&answer); }, "a new viewer was not answered");
  const int64_t begin_ns = MonotonicNs();
  keys.Revoke(name);
  Await([&] { return !socket.Refusal().empty(); }, "a revoked viewer was not put out");
  return SecondsSince(begin_ns);
}

}  // namespace hone::bench
