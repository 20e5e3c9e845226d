// Answers ZeroMQ's questions about who may connect (ZAP, RFC 27) in a thread of its own.
#pragma once

#include <thread>

#include "rpc_runner/keys/gatekeeper.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// Make it before any socket of the context, and destroy it after all of them: without it no peer is admitted.
class ZapHandler {
 public:
  ZapHandler(SocketContext& context, Gatekeeper& gate);
  ~ZapHandler();
  ZapHandler(const ZapHandler&) = delete;
  ZapHandler& operator=(const ZapHandler&) = delete;

 private:
  void Loop();
  void AnswerAll();

  Gatekeeper& gate_;
  void* socket_;
  int stop_fd_;
  std::thread thread_;
};

}  // namespace hone
