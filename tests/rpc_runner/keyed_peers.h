// Peers of a tracker with keys: correct and faulty ones.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/wire/socket.h"

namespace hone {

// A key folder of this test's own; also holds known_trackers and the default identity during its lifetime.
class KeyedFolder {
 public:
  KeyedFolder();
  ~KeyedFolder();
  const KeyFolder& tracker() const { return tracker_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  // An identity on the authorized list; without a role, one that is not listed.
  ClientKeys Client(const std::string& name, uint8_t roles, int64_t expires_s = 0) const;
  // The identity's public key.
  static std::string KeyOf(const ClientKeys& keys);
  std::string AuditText() const;
  // Waits until the audit has a line with all of these texts; false after 20 s.
  bool HasAuditLine(const std::vector<std::string>& texts) const;

 private:
  std::string path_;
  KeyFolder tracker_;
  std::string server_key_;
};

// A server that answers each message with its own bytes, and remembers who sent them.
class EchoServer {
 public:
  explicit EchoServer(const KeyedFolder& folder);
  ~EchoServer();
  const std::string& address() const { return address_; }
  std::vector<Sender> senders() const;
  size_t received() const { return senders().size(); }

 private:
  void Loop();

  const ServerKeys keys_;
  std::string address_;
  mutable std::mutex mutex_;
  std::vector<Sender> senders_;
  std::atomic<bool> stop_{false}, ready_{false};
  std::thread thread_;
};

// A DEALER with a client's keys.
class EchoClient {
 public:
  EchoClient(const std::string& address, const ClientKeys& keys);
  // Sends the text; returns whether it came back within the time.
  bool Echo(const std::string& text, int64_t timeout_ns = 20'000'000'000);
  Socket& socket() { return socket_; }

 private:
  SocketContext context_;
  Socket socket_;
};

// A DEALER without hone's usual settings: "NULL", "PLAIN", or CURVE with these keys and this routing id.
class RawClient {
 public:
  RawClient(const std::string& address, const std::string& mechanism, const KeyPair& keys = {},
            const std::string& server_key = "", const std::string& routing_id = "");
  ~RawClient();
  void Send(const std::string& text);
  bool Receives(int timeout_ms);

 private:
  void* context_;
  void* socket_;
};

// Forwards one connection's bytes to the address, and keeps them.
class RecordingProxy {
 public:
  explicit RecordingProxy(const std::string& address);
  ~RecordingProxy();
  const std::string& address() const { return address_; }
  std::string from_client() const { return Copy(from_client_); }
  std::string from_server() const { return Copy(from_server_); }

 private:
  void Loop();
  std::string Copy(const std::string& bytes) const;

  const std::string to_;
  std::string address_;
  int listener_ = -1;
  mutable std::mutex mutex_;
  std::string from_client_, from_server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace hone
