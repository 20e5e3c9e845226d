// Attacks by peers of a working tracker on it and on its users. Peers are slow, speak for others, or send anything at
// all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <regex>
#include <thread>

#include "core/random.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/keyed_peers.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/rpc_runner/raw_tcp.h"
#include "tests/support/asked_count.h"
#include "tests/support/resident_bytes.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

constexpr uint8_t kViewer = 1, kTuner = 2, kRunner = 4;
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1000 * kMillisecond;

double SecondsSince(int64_t begin_ns) { return static_cast<double>(MonotonicNs() - begin_ns) / 1e9; }

// A tracker with keys, a runner and a tuner.
class HostilePeers : public testing::Test {
 protected:
  // A peer with an identity of its own that sends frames as given.
  class Peer {
   public:
    Peer(const HostilePeers& fleet, const std::string& name, uint8_t roles)
        : context_(ClientSecurity(fleet.folder_.Client(name, roles), fleet.tracker_.address())),
          socket_(context_, Socket::Kind::kDealer) {
      socket_.Connect(fleet.tracker_.address());
      socket_.DropUnsent();
    }
    // Waits until the connection accepts the bytes.
    void Send(const std::string& bytes) {
      for (;;) {
        std::string copy = bytes;
        if (socket_.SendBytes("", copy) == Socket::Sent::kYes) return;
        Drain();
        WaitForAny({&socket_}, -1, kMillisecond);
      }
    }
    // The code of the error that answers the frame.
    std::string CodeFor(const Frame& frame) {
      Send(EncodeFrame(frame));
      Socket::Message message;
      for (const int64_t begin_ns = MonotonicNs(); SecondsSince(begin_ns) < 20;) {
        if (socket_.Receive(&message)) return HeaderText(DecodeFrame(message.bytes).header, "code");
        WaitForAny({&socket_}, -1, 10 * kMillisecond);
      }
      return "no answer";
    }
    void Drain() {
      Socket::Message message;
      while (socket_.Receive(&message)) {
      }
    }

   private:
    SocketContext context_;
    Socket socket_;
  };

  HostilePeers() {
    RunnerServerOptions offer = OfferTo(tracker_.address(), "k");
    offer.keys = folder_.Client("pi", kRunner);
    runner_ = std::make_unique<SleepingRunner>(offer, kMillisecond, FakeMachine("pi"));
    RemoteRunnerOptions remote = RemoteTo(tracker_, "k");
    remote.keys = folder_.Client("ada", kTuner);
    tuner_ = MakeRemoteRunner(remote);
    tuner_->Describe();
  }

  // The id of the tuner's lease, as the audit shows it.
  std::string Lease() const {
    EXPECT_TRUE(folder_.HasAuditLine({"\"lease_begin\""}));
    const std::string text = folder_.AuditText();
    std::smatch match;
    EXPECT_TRUE(std::regex_search(text, match, std::regex("\"lease\":\"([0-9a-f]{32})\"")));
    return match[1];
  }
  TrackerStatus Status() const { return QueryTracker(tracker_.address(), 20 * kSecond, good_); }
  Fate RunOne() {
    tuner_->Submit(KernelJob());
    JobResult result;
    EXPECT_TRUE(tuner_->Wait(20 * kSecond, &result));
    return result.measurement.fate;
  }

  KeyedFolder folder_;
  const ClientKeys good_ = folder_.Client("good", kViewer);
  const TrackerThread tracker_{"tcp://127.0.0.1:*", {folder_.tracker().path(), ""}};
  std::unique_ptr<SleepingRunner> runner_;
  std::unique_ptr<Runner> tuner_;
};

TEST(Socket, SurvivesPeersThatLeaveWhileItDoesNotRead) {
  SocketContext context;
  Socket socket(context, Socket::Kind::kRouter);
  const std::string address = socket.Bind("tcp://127.0.0.1:*");
  for (int i = 0; i < 5; ++i) {
    RawClient peer(address, "NULL");
    // More than the queues at both ends and the system's buffers between them hold.
    for (int sent = 0; sent < 1000; ++sent) peer.Send(std::string(5000, 'x'));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  // A heartbeat of the library would arrive in this time.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  Socket::Message message;
  EXPECT_TRUE(socket.Receive(&message));
}

TEST_F(HostilePeers, ALeasesNameIsNoRightToSpeakInIt) {
  const std::string lease = Lease();
  Peer viewer(*this, "eve", kViewer), tuner(*this, "tom", kTuner), runner(*this, "mallory", kRunner);
  for (const FrameKind kind : {FrameKind::kJob, FrameKind::kBlob, FrameKind::kHeartbeat, FrameKind::kResult,
                               FrameKind::kNeed, FrameKind::kLeaseEnd}) {
    const Frame frame{kind, {{"job", 1}, {"attempt", 1}, {"kind", "kernel"}, {"sha256", "0"}}, {"elf"}, lease};
    for (Peer* peer : {&viewer, &tuner, &runner}) EXPECT_EQ(peer->CodeFor(frame), "no_lease");
  }
  // The frame to the tracker itself is refused as well.
  const Json client = {{"client", "c"}, {"lease", lease}};
  EXPECT_EQ(viewer.CodeFor({FrameKind::kHeartbeat, client, {}}), "not_allowed");
  EXPECT_EQ(viewer.CodeFor({FrameKind::kRelease, client, {}}), "not_allowed");
  EXPECT_EQ(tuner.CodeFor({FrameKind::kHeartbeat, client, {}}), "no_lease");
  // After two heartbeats the runner has begun no such job, and its own tuner is served.
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_EQ(Status().runners.at(0).jobs_done, 0);
  EXPECT_EQ(RunOne(), Fate::kOk);
}

TEST_F(HostilePeers, TheTrackersOwnBytesProveNothingTheNextTime) {
  const ClientKeys ada = folder_.Client("ann", kTuner);
  EchoServer server(folder_);
  std::string bytes;
  {
    const RecordingProxy proxy(server.address());
    EchoClient client(proxy.address(), ada);
    ASSERT_TRUE(client.Echo("tune"));
    bytes = proxy.from_server();
  }
  ASSERT_GT(bytes.size(), 300u);
  const auto [listener, address] = ListenRaw();
  std::atomic<bool> stop{false};
  std::thread impostor([&stop, &bytes, listener = listener] {
    while (!stop) {
      const int fd = accept(listener, nullptr, nullptr);
      if (fd < 0) continue;
      send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      char answer[4096];
      while (recv(fd, answer, sizeof(answer), 0) > 0) {
      }
      close(fd);
    }
  });
  {
    EchoClient client(address, ada);
    EXPECT_FALSE(client.Echo("tune", 2 * kSecond));
    EXPECT_THAT(client.socket().Refusal(), testing::HasSubstr("does not hold the key"));
  }
  stop = true;
  shutdown(listener, SHUT_RDWR);
  impostor.join();
  close(listener);
}

// Opens silent connections, and ones that send a valid greeting at a byte a second, to a working tracker.
void ServesAmongSlowOnes(const std::string& address, const ClientKeys& keys) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  std::vector<int> slow;
  for (int i = 0; i < 500; ++i) slow.push_back(ConnectRaw(address));
  const int64_t begin_ns = MonotonicNs();
  std::atomic<bool> stop{false};
  std::thread drip([&] {
    constexpr char kGreeting[65] = "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL";
    for (size_t at = 0; !stop && at < 64; ++at) {
      for (size_t i = 0; i < slow.size(); i += 2) send(slow[i], kGreeting + at, 1, MSG_NOSIGNAL);
      for (int i = 0; !stop && i < 100; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  double longest = 0;
  for (int i = 0; i < 20; ++i) {
    const int64_t asked_ns = MonotonicNs();
    EXPECT_NO_THROW(QueryTracker(address, 20 * kSecond, keys));
    longest = std::max(longest, SecondsSince(asked_ns));
  }
  std::printf("20 good clients among %zu slow ones: the longest took %.1f ms\n", slow.size(), 1e3 * longest);
  const auto is_closed = [](int fd) {
    char bytes[256];
    ssize_t n = 0;
    while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    }
    return n == 0 || errno == ECONNRESET;
  };
  for (const int fd : slow) {
    while (!is_closed(fd) && SecondsSince(begin_ns) < 30) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_closed(fd));
  }
  std::printf("all closed by the tracker after %.1f s\n", SecondsSince(begin_ns));
  stop = true;
  drip.join();
  for (const int fd : slow) close(fd);
}

TEST_F(HostilePeers, SlowOnesAreClosedAndOthersServed) {
  ServesAmongSlowOnes(tracker_.address(), good_);
  EXPECT_EQ(RunOne(), Fate::kOk);
}

TEST(HostilePeersWithoutKeys, SlowOnesAreClosedAndOthersServed) {
  const TrackerThread tracker;
  ServesAmongSlowOnes(tracker.address(), {});
}

// Frames of every kind that a peer sends, with wrong fields, and some with damaged bytes.
class OddFrames {
 public:
  std::string Next() {
    static constexpr FrameKind kKinds[] = {FrameKind::kHello,       FrameKind::kBye,          FrameKind::kHeartbeat,
                                           FrameKind::kLeaseTaken,  FrameKind::kLeaseRequest, FrameKind::kRelease,
                                           FrameKind::kCommand,     FrameKind::kJob,          FrameKind::kResult,
                                           FrameKind::kStatusQuery, FrameKind::kError,        FrameKind::kNeed,
                                           FrameKind::kDescribe};
    Frame frame{kKinds[random_.Below(std::size(kKinds))], Json::object(), {}};
    for (const char* name :
         {"runner",    "key",    "label",  "address", "environment", "lease",   "holder",  "note",
          "jobs_done", "health", "roofs",  "client",  "user",        "tuner",   "machine", "priority",
          "command",   "what",   "for_ns", "job",     "attempt",     "withdraw"}) {
      if (random_.Below(3) != 0) frame.header[name] = Field(name);
    }
    if (random_.Below(4) == 0) frame.lease = std::string(32, "0123456789abcdef"[random_.Below(16)]);
    if (random_.Below(8) == 0) frame.parts.push_back(std::string(random_.Below(5000), 'p'));
    std::string bytes = EncodeFrame(frame);
    for (uint64_t flips = random_.Below(6) == 0 ? 1 + random_.Below(8) : 0; flips > 0; --flips) {
      bytes[random_.Below(bytes.size())] ^= static_cast<char>(1u << random_.Below(8));
    }
    if (random_.Below(20) == 0) bytes.resize(random_.Below(bytes.size()));
    return bytes;
  }

 private:
  // Most values have the right type, so that the frame passes the first check.
  Json Field(const std::string& name) {
    const bool number =
        name == "jobs_done" || name == "priority" || name == "for_ns" || name == "job" || name == "attempt";
    const bool object = name == "environment" || name == "machine" || name == "health";
    const uint64_t chance = random_.Below(10);
    if (chance == 0) return Odd();
    if (number) return random_.Below(3) == 0 ? UINT64_MAX - random_.Below(3) : random_.Below(1000);
    if (object)
      return {{"cores", Odd()}, {"cpu_model", "m"}, {"state", "healthy"}, {"cpu_id", std::to_string(random_.Below(3))}};
    if (name == "command") return random_.Below(2) == 0 ? "hold" : "drain";
    if (chance == 1) return std::string(random_.Below(70'000), 'x');
    return name.substr(0, 1) + std::to_string(random_.Below(200));
  }
  Json Odd() {
    switch (random_.Below(8)) {
      case 0:
        return nullptr;
      case 1:
        return -1;
      case 2:
        return 1e300;
      case 3:
        return Json::array({1, "two", Json::object()});
      case 4:
        return "\x01\xc3\xa9\n\"";
      case 5:
        return {{"held_by", "somebody"}, {"held_ns", UINT64_MAX}};
      case 6:
        return "{\"drained\":true,\"held_by\":\"x\",\"held_ns\":18446744073709551615}";
      default:
        return true;
    }
  }

  Random random_{20'261'122};
};

TEST_F(HostilePeers, AnythingThatAnAdmittedOneSaysIsOutlived) {
  const int frames = AskedCount(20'000);
  Peer peer(*this, "eve", kViewer | kTuner | kRunner);
  OddFrames odd;
  int64_t before_bytes = 0;
  for (int i = 0; i < frames; ++i) {
    peer.Send(odd.Next());
    if (i % 16 == 0) peer.Drain();
    // By then the tracker's memory of strangers is full.
    if (i == frames / 4) before_bytes = ResidentBytes();
  }
  const int64_t grown_bytes = ResidentBytes() - before_bytes;
  std::printf("%d frames: %.1f MiB more after the last three quarters of them\n", frames,
              static_cast<double>(grown_bytes) / (1 << 20));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(grown_bytes, int64_t{64} << 20);
#endif
  const std::vector<RunnerInfo> runners = Status().runners;
  EXPECT_TRUE(std::any_of(runners.begin(), runners.end(), [](const RunnerInfo& r) { return r.label == "pi"; }));
  EXPECT_EQ(RunOne(), Fate::kOk);
}

}  // namespace
}  // namespace hone
