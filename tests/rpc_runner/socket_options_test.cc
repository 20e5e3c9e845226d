// The options of every socket, and what it refuses to send.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zmq.h>

#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

TEST(SocketOptions, AreThoseOfTheProtocol) {
  SocketContext context;
  Socket socket(context, Socket::Kind::kRouter);
  const auto option = [&](int name) {
    int value = -7;
    size_t size = sizeof(value);
    EXPECT_EQ(zmq_getsockopt(socket.raw(), name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(ZMQ_SNDHWM), 64);
  EXPECT_EQ(option(ZMQ_RCVHWM), 64);
  EXPECT_EQ(option(ZMQ_LINGER), 2000);
  EXPECT_EQ(option(ZMQ_HEARTBEAT_IVL), 0);
  EXPECT_EQ(option(ZMQ_TCP_KEEPALIVE), 1);
  EXPECT_EQ(option(ZMQ_TCP_KEEPALIVE_IDLE), 2);
  EXPECT_EQ(option(ZMQ_TCP_KEEPALIVE_INTVL), 1);
  EXPECT_EQ(option(ZMQ_TCP_KEEPALIVE_CNT), 3);
  EXPECT_EQ(option(ZMQ_TCP_MAXRT), 5000);
  EXPECT_EQ(option(ZMQ_HANDSHAKE_IVL), 3000);
  EXPECT_EQ(option(ZMQ_BACKLOG), 4096);
  EXPECT_EQ(option(ZMQ_RECONNECT_IVL), 100);
  EXPECT_EQ(option(ZMQ_RECONNECT_IVL_MAX), 5000);
  int64_t most = 0;
  size_t size = sizeof(most);
  EXPECT_EQ(zmq_getsockopt(socket.raw(), ZMQ_MAXMSGSIZE, &most, &size), 0);
  EXPECT_EQ(most, int64_t{64} << 20);
  // ROUTER_MANDATORY cannot be read back, but its effect can: sending to an absent peer is reported.
  std::string bytes = "x";
  EXPECT_EQ(socket.SendBytes("nobody", bytes), Socket::Sent::kUnreachable);
  EXPECT_EQ(bytes, "x");
  socket.Bind("tcp://127.0.0.1:*");
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

TEST(Socket, NeverThrowsWhenItSends) {
  SocketContext context;
  Socket router(context, Socket::Kind::kRouter), dealer(context, Socket::Kind::kDealer);
  dealer.Connect(router.Bind("tcp://127.0.0.1:*"));
  ASSERT_TRUE(dealer.Send("", {FrameKind::kStatusQuery, Json::object(), {}}));
  Socket::Message message;
  while (!router.Receive(&message)) WaitForAny({&router}, -1, 10'000'000);
  const Frame huge{FrameKind::kStatus, {{"text", std::string(2 << 20, 'x')}}, {}};
  EXPECT_FALSE(router.Send(message.peer, huge));
  EXPECT_FALSE(dealer.Send("", huge));
  EXPECT_FALSE(router.Send(message.peer, {FrameKind::kStatus, Json::object(), {std::string(40 << 20, 'x')}}));
  while (!dealer.Receive(&message)) WaitForAny({&dealer}, -1, 10'000'000);
  EXPECT_EQ(HeaderText(DecodeFrame(message.bytes).header, "code"), "too_big");
}

}  // namespace
}  // namespace hone
