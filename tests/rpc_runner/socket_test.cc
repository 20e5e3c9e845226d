#include "rpc_runner/wire/socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.h>

#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/network_fixture.h"

namespace hone {
namespace {

// Sends raw bytes to a tracker and decodes the answers.
class RawPeer {
 public:
  explicit RawPeer(const std::string& address) : socket_(context_, Socket::Kind::kDealer) { socket_.Connect(address); }

  void Send(const std::string& bytes, int flags = 0) { zmq_send(socket_.raw(), bytes.data(), bytes.size(), flags); }
  Frame Receive(int64_t timeout_ns = 20'000'000'000) {
    Socket::Message message;
    const int64_t until_ns = MonotonicNs() + timeout_ns;
    while (!socket_.Receive(&message)) {
      if (MonotonicNs() > until_ns) return ErrorFrame("none", "no answer came");
      WaitForAny({&socket_}, -1, 100'000'000);
    }
    return DecodeFrame(message.bytes);
  }

 private:
  SocketContext context_;
  Socket socket_;
};

const std::string kQuery = EncodeFrame({FrameKind::kStatusQuery, Json::object(), {}});

TEST(Tracker, NamesBothVersionsToTheVersionBeforeAndToTheNext) {
  TrackerThread tracker;
  RawPeer peer(tracker.address());
  for (const char version : {1, 3}) {
    std::string other = kQuery;
    other[4] = version;
    // The rest of the header is arbitrary: only these six bytes keep their meaning in every version.
    for (const std::string& bytes : {other, other.substr(0, 6), other.substr(0, 6) + std::string(500, 'x')}) {
      peer.Send(bytes);
      const Frame answer = peer.Receive();
      EXPECT_EQ(HeaderText(answer.header, "code"), "unsupported_version");
      EXPECT_THAT(
          HeaderText(answer.header, "message"),
          testing::AllOf(testing::HasSubstr("version " + std::to_string(version)), testing::HasSubstr("version 2")));
    }
  }
}

TEST(Tracker, OutlivesGarbageAndManyParts) {
  TrackerThread tracker;
  RawPeer peer(tracker.address());
  peer.Send("nonsense");
  EXPECT_EQ(HeaderText(peer.Receive().header, "code"), "bad_frame");
  peer.Send(EncodeFrame({FrameKind::kHello, Json::object(), {}}));
  EXPECT_EQ(HeaderText(peer.Receive().header, "code"), "bad_frame");
  for (int i = 0; i < 10'000; ++i) peer.Send("part", ZMQ_SNDMORE);
  peer.Send("");
  RawPeer other(tracker.address());
  other.Send(kQuery);
  EXPECT_EQ(other.Receive().kind, FrameKind::kStatus);
  // The peer's connection was closed: bytes sent on it are lost, but those on the next one arrive.
  Frame answer;
  for (int i = 0; i < 200 && answer.kind != FrameKind::kStatus; ++i) {
    peer.Send(kQuery);
    answer = peer.Receive(100'000'000);
  }
  EXPECT_EQ(answer.kind, FrameKind::kStatus);
}

TEST(Tracker, OutlivesALabelAsLargeAsAHeader) {
  TrackerThread tracker;
  const std::string label(kMaxHeaderBytes - 60, 'x');
  RawPeer peer(tracker.address());
  peer.Send(EncodeFrame({FrameKind::kLeaseRequest, {{"client", "c"}, {"label", label}, {"key", "k"}}, {}}));
  EXPECT_EQ(HeaderText(peer.Receive().header, "code"), "bad_frame");
  // A new runner would be offered to the client that waits, so none may be queued.
  const RunnerThread runner(OfferTo(tracker.address(), "k"));
  WaitForStatus(tracker.address(), [](const TrackerStatus& s) { return s.runners.size() == 1; });
  peer.Send(kQuery);
  EXPECT_EQ(peer.Receive().kind, FrameKind::kStatus);
}

TEST(Tracker, OutlivesAKindOfMessageThatQuotesAll) {
  TrackerThread tracker;
  RawPeer peer(tracker.address());
  const std::string text(kMaxHeaderBytes - 40, 'x');
  for (const FrameKind kind : {FrameKind::kHello, FrameKind::kHeartbeat, FrameKind::kRelease, FrameKind::kLeaseTaken}) {
    peer.Send(EncodeFrame({kind, {{"runner", text}}, {}}));
    EXPECT_EQ(HeaderText(peer.Receive().header, "code"), "bad_frame");
  }
  peer.Send(kQuery);
  EXPECT_EQ(peer.Receive().kind, FrameKind::kStatus);
}

TEST(Runner, OutlivesABlobThatNamesAMegabyte) {
  TrackerThread tracker;
  RunnerServerOptions offer = OfferTo(tracker.address(), "k");
  offer.direct = true;
  const RunnerThread runner(offer);
  std::string address;
  WaitForStatus(tracker.address(), [&](const TrackerStatus& s) {
    if (!s.runners.empty()) address = s.runners[0].address;
    return !address.empty();
  });
  RawPeer peer(address);
  peer.Send(EncodeFrame({FrameKind::kBlob, {{"sha256", std::string(kMaxHeaderBytes - 20, 'x')}}, {"bytes"}}));
  const Frame answer = peer.Receive();
  EXPECT_EQ(HeaderText(answer.header, "code"), "no_lease");
  EXPECT_LT(HeaderText(answer.header, "message").size(), 4096u);
}

}  // namespace
}  // namespace hone
