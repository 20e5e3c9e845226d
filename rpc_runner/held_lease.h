// A runner that a tuner has leased, and the ways to it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "core/measurement.h"
#include "rpc_runner/job_board.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Used by one thread.
struct HeldLease {
  LaneId lane = 0;
  std::string client;  // the name under which it was asked for
  std::string lease;
  std::string runner;  // its id at the tracker; empty: not told
  Environment environment;
  std::unique_ptr<Socket> dialled;  // the runner; null: it is reached through the tracker alone
  int64_t dialled_heard_ns = 0;
  int64_t heard_ns = 0;  // 0: the lease is over
  int64_t beat_ns = 0;

  // A runner that cannot be dialled is told of on stderr, and spoken to through the tracker.
  void Dial(SocketContext& context, const std::string& address);
  // Sends by the short way once the runner was heard there, else through `tracker`. False: the connection takes no more
  // now. Throws Error(kBadData) for what is beyond the protocol's limits.
  bool Send(Frame frame, Socket& tracker);
  // The same of a beat, which also goes the short way before the runner was heard there, to say that it exists.
  void SendBeat(Frame beat, Socket& tracker);

 private:
  bool IsShortWayOpen() const;
};

// Null when there is none.
HeldLease* FindLane(std::list<HeldLease>& leases, LaneId lane);
HeldLease* FindLease(std::list<HeldLease>& leases, const std::string& lease);

}  // namespace hone
