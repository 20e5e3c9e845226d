// A runner that a tuner has leased, and the connections to it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "core/measurement.h"
#include "rpc_runner/remote/job_queue.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Used by one thread only.
struct HeldLease {
  WorkerId worker = 0;
  std::string client;  // the name under which it was asked for
  std::string lease;
  std::string runner;  // its id at the tracker; empty if not told
  Environment environment;
  std::unique_ptr<Socket> direct;  // the direct connection; null if the runner is reached only through the tracker
  int64_t direct_heard_ns = 0;
  int64_t heard_ns = 0;  // 0: the lease is over
  int64_t heartbeat_ns = 0;

  // Connects directly to the runner. On failure this prints the reason on stderr and keeps to the tracker.
  void ConnectDirectly(SocketContext& context, const std::string& address);
  // Sends directly once the runner was heard there, otherwise through `tracker`. Returns false if the connection has no
  // room at the moment. Throws Error(kBadData) for a frame beyond the protocol's limits.
  bool Send(Frame frame, Socket& tracker);
  // As Send, but a heartbeat also goes directly before the runner was heard there, so that the runner learns of the
  // connection.
  void SendHeartbeat(Frame heartbeat, Socket& tracker);

 private:
  bool IsDirectOpen() const;
};

// Null when there is none.
HeldLease* FindWorker(std::list<HeldLease>& leases, WorkerId worker);
HeldLease* FindLease(std::list<HeldLease>& leases, const std::string& lease);

}  // namespace hone
