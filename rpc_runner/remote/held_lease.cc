#include "rpc_runner/remote/held_lease.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

void HeldLease::ConnectDirectly(SocketContext& context, const std::string& address) {
  try {
    direct = std::make_unique<Socket>(context, Socket::Kind::kDealer);
    direct->Connect(address);
  } catch (const Error& error) {
    direct.reset();
    LogError("remote runner", error.what());
  }
}

bool HeldLease::IsDirectOpen() const { return direct && MonotonicNs() - direct_heard_ns <= kLostNs; }

bool HeldLease::Send(Frame frame, Socket& tracker) {
  frame.lease = lease;
  // Encoding throws if the frame is beyond the protocol's limits; a failed SendBytes is tried again.
  std::string bytes = EncodeFrame(frame);
  return (IsDirectOpen() ? *direct : tracker).SendBytes("", bytes) == Socket::Sent::kYes;
}

void HeldLease::SendHeartbeat(Frame heartbeat, Socket& tracker) {
  if (direct && !IsDirectOpen()) {
    heartbeat.lease = lease;
    direct->Send("", heartbeat);
  }
  Send(std::move(heartbeat), tracker);
}

HeldLease* FindWorker(std::list<HeldLease>& leases, WorkerId worker) {
  const auto it =
      std::find_if(leases.begin(), leases.end(), [&](const HeldLease& held) { return held.worker == worker; });
  return it == leases.end() ? nullptr : &*it;
}

HeldLease* FindLease(std::list<HeldLease>& leases, const std::string& lease) {
  const auto it =
      std::find_if(leases.begin(), leases.end(), [&](const HeldLease& held) { return held.lease == lease; });
  return it == leases.end() ? nullptr : &*it;
}

}  // namespace hone
