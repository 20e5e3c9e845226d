#include "tests/rpc_runner/keyed_peers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/keys/tracker_context.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/raw_tcp.h"

namespace hone {
namespace {

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

std::string NewFolder() {
  std::string name = testing::TempDir() + "hone_keyed_XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  return name;
}

}  // namespace

KeyedFolder::KeyedFolder()
    : path_(NewFolder()), tracker_(path_ + "/tracker"), server_key_(MakeTrackerFolder(tracker_).public_key) {
  setenv("XDG_CONFIG_HOME", path_.c_str(), 1);
}

KeyedFolder::~KeyedFolder() {
  unsetenv("XDG_CONFIG_HOME");
  std::filesystem::remove_all(path_);
}

ClientKeys KeyedFolder::Client(const std::string& name, uint8_t roles, int64_t expires_s) const {
  const KeyPair keys = NewKeyPair();
  WriteIdentity(Path(name), keys, name);
  if (roles != 0) Authorize(tracker_, {keys.public_key, roles, name, expires_s});
  return {Path(name), server_key_};
}

std::string KeyedFolder::KeyOf(const ClientKeys& keys) { return ReadIdentity(keys.identity).public_key; }

std::string KeyedFolder::AuditText() const {
  std::ifstream in(tracker_.audit());
  return {std::istreambuf_iterator<char>(in), {}};
}

bool KeyedFolder::HasAuditLine(const std::vector<std::string>& texts) const {
  for (const int64_t until_ns = MonotonicNs() + 20'000'000'000; MonotonicNs() < until_ns; Pause()) {
    std::ifstream in(tracker_.audit());
    for (std::string line; std::getline(in, line);) {
      const auto has = [&](const std::string& text) { return line.find(text) != line.npos; };
      if (std::all_of(texts.begin(), texts.end(), has)) return true;
    }
  }
  return false;
}

EchoServer::EchoServer(const KeyedFolder& folder) : keys_{folder.tracker().path(), ""}, thread_([this] { Loop(); }) {
  while (!ready_) Pause();
}

EchoServer::~EchoServer() {
  stop_ = true;
  thread_.join();
}

void EchoServer::Loop() {
  TrackerContext door(keys_);
  Socket socket(door.context(), Socket::Kind::kRouter);
  address_ = socket.Bind("tcp://127.0.0.1:*");
  ready_ = true;
  Socket::Message message;
  while (!stop_) {
    WaitForAny({&socket}, -1, 20'000'000);
    while (socket.Receive(&message)) {
      socket.SendBytes(message.peer, message.bytes);
      const std::lock_guard lock(mutex_);
      senders_.push_back(message.sender);
    }
  }
}

std::vector<Sender> EchoServer::senders() const {
  const std::lock_guard lock(mutex_);
  return senders_;
}

EchoClient::EchoClient(const std::string& address, const ClientKeys& keys)
    : context_(ClientSecurity(keys, address)), socket_(context_, Socket::Kind::kDealer) {
  socket_.Connect(address);
  socket_.DropUnsent();
}

bool EchoClient::Echo(const std::string& text, int64_t timeout_ns) {
  std::string bytes = text;
  bool sent = false;
  Socket::Message message;
  for (const int64_t until_ns = MonotonicNs() + timeout_ns; MonotonicNs() < until_ns;) {
    sent = sent || socket_.SendBytes("", bytes) == Socket::Sent::kYes;
    while (socket_.Receive(&message)) {
      if (message.bytes == text) return true;
    }
    WaitForAny({&socket_}, -1, 10'000'000);
  }
  return false;
}

RawClient::RawClient(const std::string& address, const std::string& mechanism, const KeyPair& keys,
                     const std::string& server_key, const std::string& routing_id)
    : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_DEALER)) {
  const int none = 0;
  zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof(none));
  const auto set = [this](int option, const std::string& text) {
    EXPECT_EQ(zmq_setsockopt(socket_, option, text.data(), text.size()), 0);
  };
  if (!routing_id.empty()) set(ZMQ_ROUTING_ID, routing_id);
  if (mechanism == "PLAIN") {
    set(ZMQ_PLAIN_USERNAME, "admin");
    set(ZMQ_PLAIN_PASSWORD, "admin");
  } else if (mechanism == "CURVE") {
    set(ZMQ_CURVE_SERVERKEY, server_key);
    set(ZMQ_CURVE_PUBLICKEY, keys.public_key);
    set(ZMQ_CURVE_SECRETKEY, keys.secret_key);
  }
  EXPECT_EQ(zmq_connect(socket_, address.c_str()), 0);
}

RawClient::~RawClient() {
  zmq_close(socket_);
  zmq_ctx_term(context_);
}

void RawClient::Send(const std::string& text) { zmq_send(socket_, text.data(), text.size(), ZMQ_DONTWAIT); }

bool RawClient::Receives(int timeout_ms) {
  zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
  return zmq_poll(&item, 1, timeout_ms) > 0;
}

RecordingProxy::RecordingProxy(const std::string& address) : to_(address) {
  std::tie(listener_, address_) = ListenRaw();
  thread_ = std::thread([this] { Loop(); });
}

RecordingProxy::~RecordingProxy() {
  stop_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void RecordingProxy::Loop() {
  const int client = accept(listener_, nullptr, nullptr);
  if (client < 0) return;
  const int server = ConnectRaw(to_);
  std::array<pollfd, 2> fds{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
  std::array<char, 65536> bytes{};
  while (!stop_) {
    if (poll(fds.data(), fds.size(), 20) <= 0) continue;
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      const ssize_t n = recv(fds[i].fd, bytes.data(), bytes.size(), 0);
      if (n <= 0) stop_ = true;
      if (n <= 0) break;
      send(fds[1 - i].fd, bytes.data(), static_cast<size_t>(n), MSG_NOSIGNAL);
      const std::lock_guard lock(mutex_);
      (i == 0 ? from_client_ : from_server_).append(bytes.data(), static_cast<size_t>(n));
    }
  }
  close(client);
  close(server);
}

std::string RecordingProxy::Copy(const std::string& bytes) const {
  const std::lock_guard lock(mutex_);
  return bytes;
}

}  // namespace hone
