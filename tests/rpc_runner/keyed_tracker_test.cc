// Clients that a tracker with keys admits, and those that it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/error.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/gatekeeper.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/process/clock.h"
#include "tests/rpc_runner/keyed_peers.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/rpc_runner/raw_tcp.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr uint8_t kTuner = 2, kRunner = 4;
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kLittle = kSecond / 2;

class KeyedTracker : public testing::Test {
 protected:
  // The message that a call throws; expects the given code.
  static std::string Complaint(ExitCode code, const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }
  // Waits until the condition holds; fails the test after 20 s.
  static void Await(const std::function<bool()>& holds) {
    for (const int64_t until_ns = MonotonicNs() + 20 * kSecond; !holds();) {
      ASSERT_LT(MonotonicNs(), until_ns);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  KeyedFolder folder_;
};

TEST_F(KeyedTracker, KnowsASenderByItsKey) {
  const ClientKeys ada = folder_.Client("ada", kTuner), pi = folder_.Client("pi", kRunner);
  EchoServer server(folder_);
  EchoClient first(server.address(), ada), second(server.address(), pi);
  ASSERT_TRUE(first.Echo("a"));
  ASSERT_TRUE(second.Echo("b"));
  ASSERT_EQ(server.received(), 2u);
  EXPECT_EQ(server.senders()[0].name, "ada");
  EXPECT_TRUE(server.senders()[0].May(Role::kTuner));
  EXPECT_FALSE(server.senders()[0].May(Role::kRunner) || server.senders()[0].May(Role::kViewer));
  EXPECT_EQ(server.senders()[1].name, "pi");
  EXPECT_TRUE(folder_.HasAuditLine({"\"admitted\"", "\"ada\"", KeyPrefix(folder_.KeyOf(ada)), "127.0.0.1"}));
  EXPECT_EQ(folder_.AuditText().find(folder_.KeyOf(ada)), std::string::npos) << "a prefix is enough";
  // A change of roles during a connection applies to its next message.
  Authorize(folder_.tracker(), {folder_.KeyOf(ada), 1, "eve", 0});
  Await([&] { return first.Echo("c", kLittle) && server.senders().back().name == "eve"; });
  EXPECT_FALSE(server.senders().back().May(Role::kTuner));
}

TEST_F(KeyedTracker, IgnoresStrangers) {
  const ClientKeys unlisted = folder_.Client("unlisted", 0), expired = folder_.Client("expired", kTuner, 1000);
  const ClientKeys listed = folder_.Client("listed", kTuner);
  EchoServer server(folder_);
  RawClient null(server.address(), "NULL"), plain(server.address(), "PLAIN");
  // A thief who knows a listed public key, but not its secret key.
  const KeyPair half{folder_.KeyOf(listed), NewKeyPair().secret_key};
  RawClient thief(server.address(), "CURVE", half, listed.server_key);
  EchoClient first(server.address(), unlisted), second(server.address(), expired);
  for (RawClient* client : {&null, &plain, &thief}) client->Send("let me in");
  EXPECT_FALSE(first.Echo("let me in", kLittle));
  EXPECT_FALSE(second.Echo("let me in", kLittle));
  for (RawClient* client : {&null, &plain, &thief}) EXPECT_FALSE(client->Receives(100));
  EXPECT_TRUE(folder_.HasAuditLine({"\"refused\"", KeyPrefix(folder_.KeyOf(unlisted)), "not on the list"}));
  EXPECT_TRUE(folder_.HasAuditLine({"\"refused\"", KeyPrefix(folder_.KeyOf(expired)), "expired at 1970"}));
  // "no encryption offered", or "no handshake" where the other end hung up first.
  EXPECT_TRUE(folder_.HasAuditLine({"\"refused\"", "\"why\":\"no "}));
  EXPECT_THAT(first.socket().Refusal(), HasSubstr("hone key allow"));
  EchoClient good(server.address(), listed);
  EXPECT_TRUE(good.Echo("a"));
  EXPECT_EQ(server.received(), 1u);
}

TEST_F(KeyedTracker, ClosesTheSessionsOfARevokedKey) {
  const ClientKeys ada = folder_.Client("ada", kTuner), pi = folder_.Client("pi", kRunner);
  EchoServer server(folder_);
  EchoClient revoked(server.address(), ada), other(server.address(), pi);
  ASSERT_TRUE(revoked.Echo("a"));
  ASSERT_TRUE(other.Echo("a"));
  const int64_t begin_ns = MonotonicNs();
  Revoke(folder_.tracker(), "ada");
  Await([&] { return !revoked.socket().Refusal().empty(); });
  std::printf("revoked and closed in %.2f s\n", 1e-9 * static_cast<double>(MonotonicNs() - begin_ns));
  const size_t before = server.received();
  EXPECT_FALSE(revoked.Echo("b", kLittle));
  EXPECT_EQ(server.received(), before);
  EXPECT_TRUE(folder_.HasAuditLine({"\"dropped\"", KeyPrefix(folder_.KeyOf(ada))}));
  EXPECT_TRUE(other.Echo("c"));
  // The key is authorised again.
  Authorize(folder_.tracker(), {folder_.KeyOf(ada), kTuner, "ada", 0});
  Await([&] { return revoked.Echo("d", kLittle); });
}

TEST_F(KeyedTracker, ClosesTheSessionsOfAKeyThatExpires) {
  const ClientKeys ada = folder_.Client("ada", kTuner, time(nullptr) + 3);
  EchoServer server(folder_);
  EchoClient client(server.address(), ada);
  ASSERT_TRUE(client.Echo("a"));
  Await([&] { return !client.socket().Refusal().empty(); });
  const size_t before = server.received();
  EXPECT_FALSE(client.Echo("b", kLittle));
  EXPECT_EQ(server.received(), before);
}

TEST_F(KeyedTracker, AdmitsNoClientIfTheListIsMissingOrDamaged) {
  const ClientKeys ada = folder_.Client("ada", kTuner), pi = folder_.Client("pi", kRunner);
  EchoServer server(folder_);
  EchoClient first(server.address(), ada), second(server.address(), pi);
  ASSERT_TRUE(first.Echo("a"));
  ASSERT_TRUE(second.Echo("a"));
  // An editor damaged one line: only that key is revoked.
  {
    std::ofstream list(folder_.tracker().list());
    list << "x" << folder_.KeyOf(ada) << " tuner ada\n" << folder_.KeyOf(pi) << " runner pi\n";
  }
  Await([&] { return !first.socket().Refusal().empty(); });
  EXPECT_TRUE(second.Echo("b"));
  chmod(folder_.tracker().list().c_str(), 0666);
  Await([&] { return !second.socket().Refusal().empty(); });
}

TEST_F(KeyedTracker, RefusesNamesThatAClientChose) {
  const ClientKeys ada = folder_.Client("ada", kTuner);
  EchoServer server(folder_);
  RawClient forger(server.address(), "CURVE", ReadIdentity(ada.identity), ada.server_key, "tracker");
  forger.Send("a");
  EXPECT_FALSE(forger.Receives(500));
  EXPECT_EQ(server.received(), 0u);
  RawClient honest(server.address(), "CURVE", ReadIdentity(ada.identity), ada.server_key);
  honest.Send("a");
  EXPECT_TRUE(honest.Receives(20'000));
}

TEST_F(KeyedTracker, IgnoresReplayedBytes) {
  const ClientKeys ada = folder_.Client("ada", kTuner);
  EchoServer server(folder_);
  std::string bytes;
  {
    const RecordingProxy proxy(server.address());
    EchoClient client(proxy.address(), ada);
    ASSERT_TRUE(client.Echo("tune"));
    bytes = proxy.from_client();
  }
  ASSERT_GT(bytes.size(), 300u);
  EXPECT_EQ(bytes.find("tune"), std::string::npos) << "it was not encrypted";
  ASSERT_EQ(server.received(), 1u);
  for (int i = 0; i < 3; ++i) {
    const int fd = ConnectRaw(server.address());
    send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char answer[4096];
    // Reads the tracker's greeting, then the end of the stream.
    while (recv(fd, answer, sizeof(answer), 0) > 0) {
    }
    close(fd);
  }
  EchoClient client(server.address(), ada);
  EXPECT_TRUE(client.Echo("b"));
  EXPECT_EQ(server.received(), 2u);
}

TEST_F(KeyedTracker, IsToldApartFromAnotherThatHasNotItsKey) {
  ClientKeys ada = folder_.Client("ada", kTuner);
  const TrackerThread tracker("tcp://127.0.0.1:*", {folder_.tracker().path(), ""});
  EXPECT_TRUE(QueryTracker(tracker.address(), 20 * kSecond, ada).runners.empty());
  ada.server_key = NewKeyPair().public_key;
  const auto ask = [&] { QueryTracker(tracker.address(), 20 * kSecond, ada); };
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, ask), HasSubstr("does not hold the key"));
  const TrackerThread open;
  const auto ask_open = [&] { QueryTracker(open.address(), 20 * kSecond, ada); };
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, ask_open), HasSubstr("does not hold the key"));
  const auto ask_without = [&] { QueryTracker(tracker.address(), 20 * kSecond); };
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, ask_without), HasSubstr("needs keys"));
  RemoteRunnerOptions remote;
  remote.tracker = tracker.address();
  remote.key = "k";
  remote.connect_timeout_ns = 20 * kSecond;
  remote.keys = folder_.Client("unlisted", 0);
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, [&] { MakeRemoteRunner(remote); }), HasSubstr("does not admit"));
}

TEST_F(KeyedTracker, TakesANewMachineUnderACode) {
  const TrackerThread tracker("tcp://127.0.0.1:*", {folder_.tracker().path(), ""});
  const std::string server_key = ReadIdentity(folder_.tracker().secret()).public_key;
  EnrolmentCode made;
  const std::string code = MakeEnrolmentCode(server_key, &made);
  AddEnrolment(folder_.tracker(), {made.once.public_key, 1, "board", time(nullptr) + 60, 0, ""}, time(nullptr));
  // The code admits to the enrolment and to nothing else.
  RawClient spy(tracker.address(), "CURVE", made.once, server_key);
  spy.Send(EncodeFrame({FrameKind::kStatusQuery, Json::object(), {}}));
  Await([&] { return spy.Receives(100); });
  const ClientKeys board{folder_.Path("board"), ""};
  const Enrolled enrolled = EnrolAt(tracker.address(), code, board);
  EXPECT_EQ(enrolled.name, "board");
  EXPECT_EQ(enrolled.roles, "viewer");
  EXPECT_TRUE(QueryTracker(tracker.address(), 20 * kSecond, board).runners.empty()) << "its key is known now";
  EXPECT_NO_THROW(EnrolAt(tracker.address(), code, board)) << "an answer that was lost";
  const ClientKeys other{folder_.Path("other"), ""};
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, [&] { EnrolAt(tracker.address(), code, other); }),
              HasSubstr("used already"));
  EXPECT_TRUE(folder_.HasAuditLine({"\"enrolled\"", "\"board\"", KeyPrefix(enrolled.public_key)}));
  // A code with this tracker's key that the tracker never issued.
  const std::string guessed = MakeEnrolmentCode(server_key, &made);
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, [&] { EnrolAt(tracker.address(), guessed, other); }),
              HasSubstr("does not take the code"));
  // A code of another tracker, whose identity this one cannot prove.
  const std::string elsewhere = MakeEnrolmentCode(NewKeyPair().public_key, &made);
  EXPECT_THAT(Complaint(ExitCode::kNotAuthorised, [&] { EnrolAt(tracker.address(), elsewhere, other); }),
              HasSubstr("another tracker's"));
  EXPECT_EQ(ReadAuthorizedList(folder_.tracker()).keys.size(), 1u);
}

TEST_F(KeyedTracker, RefusesCodesAfterManyWrongKeys) {
  Audit audit("");
  Gatekeeper gate(folder_.tracker(), audit);
  EnrolmentCode made;
  MakeEnrolmentCode(gate.keys().public_key, &made);
  const std::string& once = made.once.public_key;
  AddEnrolment(folder_.tracker(), {once, 1, "board", time(nullptr) + 60, 0, ""}, time(nullptr));
  EXPECT_TRUE(gate.Admits(once, "10.0.0.1"));
  // Attempts are counted per minute. A new minute may begin in between; then the second round reaches the limit.
  for (int times = 0; times < 2 && gate.Admits(once, "10.0.0.1"); ++times) {
    for (int i = 0; i < 25; ++i) EXPECT_FALSE(gate.Admits(NewKeyPair().public_key, "10.0.0.1"));
  }
  EXPECT_FALSE(gate.Admits(once, "10.0.0.1"));
  EXPECT_TRUE(gate.Admits(once, "10.0.0.2"));
  EXPECT_FALSE(gate.Admits("", "10.0.0.3"));
  EXPECT_EQ(audit.RefusalCounts().at("no key"), 1);
  EXPECT_GE(audit.RefusalCounts().at("not on the list"), 26) << "also beyond what is logged";
}

TEST_F(KeyedTracker, DoesNotStartOnWhatCannotBeTrusted) {
  const std::atomic<bool> stop{true};
  const KeyFolder& tracker = folder_.tracker();
  const auto serve = [&](const std::string& bind, const std::string& folder) {
    return [&stop, bind, folder] { ServeTracker({bind, "", "", {folder, ""}}, &stop); };
  };
  for (const char* bind : {"tcp://0.0.0.0:*", "tcp://*:*", "tcp://[::]:*"})
    EXPECT_THAT(Complaint(ExitCode::kBadConfig, serve(bind, "")), HasSubstr("hone key new --server"));
  EXPECT_NO_THROW(serve("tcp://0.0.0.0:*", tracker.path())());
  const auto complaint = [&] { return Complaint(ExitCode::kBadConfig, serve("tcp://127.0.0.1:*", tracker.path())); };
  chmod(tracker.secret().c_str(), 0644);
  EXPECT_THAT(complaint(), HasSubstr("chmod 600"));
  chmod(tracker.secret().c_str(), 0600);
  {
    std::ofstream list(tracker.list());
    list << "# a list\nnonsense\n";
  }
  EXPECT_THAT(complaint(), HasSubstr("authorized_keys:2: KEY ROLES NAME"));
  std::filesystem::remove(tracker.list());
  EXPECT_THAT(complaint(), HasSubstr("authorized_keys"));
  std::filesystem::resize_file(tracker.secret(), 60);
  EXPECT_THAT(complaint(), HasSubstr("damaged"));
  std::filesystem::remove(tracker.secret());
  EXPECT_THAT(complaint(), HasSubstr("hone key new"));
  const auto query = [&] { QueryTracker("tcp://10.0.0.1:1"); };
  EXPECT_THAT(Complaint(ExitCode::kBadConfig, query), HasSubstr("hone key enroll"));
}

TEST_F(KeyedTracker, ServesAmongIdleConnectionsAndASlowReader) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const ClientKeys ada = folder_.Client("ada", kTuner);
  EchoServer server(folder_);
  std::vector<int> idle;
  for (int i = 0; i < 1000; ++i) idle.push_back(ConnectRaw(server.address()));
  // Reads none of the 200 MB that are sent back to it.
  EchoClient slow(server.address(), ada);
  ASSERT_TRUE(slow.Echo("a"));
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 200; ++i) {
    std::string bytes = large;
    slow.socket().SendBytes("", bytes);
  }
  const int64_t begin_ns = MonotonicNs();
  EchoClient good(server.address(), ada);
  EXPECT_TRUE(good.Echo("b"));
  std::printf("served in %.1f ms among 1000 idle connections\n", 1e-6 * static_cast<double>(MonotonicNs() - begin_ns));
  // The server closes all of them.
  for (const int fd : idle) {
    char byte;
    while (recv(fd, &byte, 1, 0) > 0) {
    }
    close(fd);
  }
  EXPECT_TRUE(good.Echo("c"));
}

TEST_F(KeyedTracker, Serves500EncryptedClients) {
  const ClientKeys ada = folder_.Client("ada", kTuner);
  EchoServer server(folder_);
  SocketContext context(ClientSecurity(ada, server.address()));
  const int64_t begin_ns = MonotonicNs();
  std::vector<std::unique_ptr<Socket>> clients;
  for (int i = 0; i < 500; ++i) {
    clients.push_back(std::make_unique<Socket>(context, Socket::Kind::kDealer));
    clients.back()->Connect(server.address());
    std::string bytes = std::to_string(i);
    ASSERT_EQ(clients.back()->SendBytes("", bytes), Socket::Sent::kYes);
  }
  for (size_t i = 0; i < clients.size(); ++i) {
    Socket::Message message;
    while (!clients[i]->Receive(&message)) {
      ASSERT_LT(MonotonicNs() - begin_ns, 200 * kSecond);
      WaitForAny({clients[i].get()}, -1, kLittle);
    }
    EXPECT_EQ(message.bytes, std::to_string(i));
  }
  std::printf("500 encrypted clients in %.2f s\n", 1e-9 * static_cast<double>(MonotonicNs() - begin_ns));
}

TEST_F(KeyedTracker, WorksWithARunnerAndATuner) {
  const TrackerThread tracker("tcp://127.0.0.1:*", {folder_.tracker().path(), ""});
  RunnerServerOptions offer = OfferTo(tracker.address(), "k");
  offer.keys = folder_.Client("pi", kRunner);
  const RunnerThread runner(offer);
  RemoteRunnerOptions remote = RemoteTo(tracker, "k");
  remote.keys = folder_.Client("ada", kTuner | 1);
  EXPECT_EQ(MakeRemoteRunner(remote)->Describe().key, "k");
}

}  // namespace
}  // namespace hone
