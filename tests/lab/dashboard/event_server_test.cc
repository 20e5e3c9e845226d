// The server's behaviour over real connections.
#include "lab/dashboard/event_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "tests/lab/dashboard/http_viewer.h"

namespace hone {
namespace {

using testing::HasSubstr;

// Streams the numbers from 1 on, each padded to `part_bytes`.
class EventServerTest : public testing::Test {
 protected:
  void TearDown() override { Stop(); }

  int Start() {
    server_ = std::make_unique<EventServer>(
        ParseHttpBind("127.0.0.1:0"),
        [](const HttpRequest& request) {
          HttpAnswer answer;
          answer.streams = request.path == "/events";
          answer.body = fmt::format("{} {} {} {}", request.path, HttpRequest::Of(request.headers, "x-word"),
                                    HttpRequest::Of(request.cookies, "c"), HttpRequest::Of(request.query, "q"));
          answer.headers = {{"X-Own", "yes"}};
          return answer;
        },
        [this](int64_t seen) { return PartAfter(seen); });
    thread_ = std::thread([this] { server_->Serve(&stop_); });
    return server_->port();
  }
  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }
  void Tell(int64_t number) {
    {
      const std::lock_guard lock(mutex_);
      newest_ = number;
    }
    server_->Wake();
  }
  EventServer::Part PartAfter(int64_t seen) {
    const std::lock_guard lock(mutex_);
    if (seen >= newest_) return {nullptr, seen};
    ++parts_;
    const std::string padding(part_bytes_, '.');
    return {std::make_shared<const std::string>(fmt::format("id: {}\ndata: {}{}\n\n", newest_, newest_, padding)),
            newest_};
  }
  int64_t parts() {
    const std::lock_guard lock(mutex_);
    return parts_;
  }

  size_t part_bytes_ = 0;
  std::atomic<bool> stop_{false};
  std::unique_ptr<EventServer> server_;
  std::thread thread_;
  std::mutex mutex_;
  int64_t newest_ = 1, parts_ = 0;
};

TEST_F(EventServerTest, AnswersWhatIsAsked) {
  const int port = Start();
  const HttpReply reply = AskHttp(port, "/page?q=w%20x", {"X-Word: said", "Cookie: c=cookie"});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "/page said cookie w x");
  EXPECT_EQ(reply.headers.at("x-own"), "yes");
  EXPECT_EQ(reply.headers.at("content-type"), "text/plain; charset=utf-8");
}

TEST_F(EventServerTest, RefusesWhatIsNoGet) {
  const int port = Start();
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
    const HttpReply reply = AskHttp(port, "/page", {"Content-Length: 0"}, method);
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.body, "GET would be right\n");
    EXPECT_EQ(reply.headers.at("allow"), "GET, HEAD");
  }
  EXPECT_EQ(AskHttp(port, "/page", {}, "HEAD").body, "");
  EXPECT_EQ(AskHttp(port, "/events", {}, "HEAD").status, 200);
}

TEST_F(EventServerTest, OutlivesWhatIsNoHttp) {
  const int port = Start();
  AskRaw(port, "\r\n\r\n\r\n\r\n", 100);
  AskRaw(port, "GET\r\n\r\n", 100);
  AskRaw(port, std::string(1000, '\0'), 100);
  AskRaw(port, "GET /page HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(200'000, 'x') + "\r\n\r\n", 200);
  AskRaw(port, "POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 100);
  AskRaw(port, "POST /page HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'), 100);
  EXPECT_EQ(AskHttp(port, "/page").status, 200);
}

TEST_F(EventServerTest, StreamsInOrderAndSleepsBetween) {
  const int port = Start();
  EventViewer viewer(port);
  for (int64_t number = 1; number <= 20; ++number) {
    const auto event = viewer.Next();
    ASSERT_TRUE(event) << number;
    EXPECT_EQ(event->data, fmt::format("{}", number));
    Tell(number + 1);
  }
  EXPECT_EQ(viewer.status(), 200);
  ASSERT_TRUE(viewer.Next());
  EXPECT_FALSE(viewer.Next(200)) << "nothing was to be told";
  EXPECT_EQ(parts(), 21);
}

TEST_F(EventServerTest, EveryViewerIsTold) {
  const int port = Start();
  std::list<EventViewer> viewers;
  for (int i = 0; i < 20; ++i) viewers.emplace_back(port);
  for (EventViewer& viewer : viewers) ASSERT_TRUE(viewer.Next());
  Tell(7);
  for (EventViewer& viewer : viewers) {
    const auto event = viewer.Next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->data, "7");
  }
}

// The parts exceed all buffers on the way. A viewer that does not read makes nothing pile up, and delays no other
// viewer.
TEST_F(EventServerTest, AStalledViewerGetsTheNewestStateWhenItReadsAgain) {
  part_bytes_ = 1 << 20;
  const int port = Start();
  EventViewer stalled(port, {}, 4096);
  EventViewer quick(port);
  ASSERT_TRUE(quick.Next());
  for (int64_t number = 2; number <= 100; ++number) {
    Tell(number);
    const auto event = quick.Next();
    ASSERT_TRUE(event) << number;
    EXPECT_EQ(event->id, fmt::format("{}", number));
  }
  const int64_t of_stalled = parts() - 100;
  EXPECT_LE(of_stalled, 1) << "what he does not read is not made";
  const auto old = stalled.Next();
  ASSERT_TRUE(old);
  const auto newest = stalled.Next();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->id, "100");
}

TEST_F(EventServerTest, TooManyViewersAreToldSo) {
  const int port = Start();
  std::list<EventViewer> viewers;
  for (size_t i = 0; i < EventServer::kMostStreams; ++i) {
    viewers.emplace_back(port);
    ASSERT_TRUE(viewers.back().Next()) << i;
  }
  EXPECT_EQ(AskHttp(port, "/events").status, 503);
  EXPECT_EQ(AskHttp(port, "/page").status, 200);
  viewers.pop_front();
  // The server notices a lost viewer when it sends something.
  for (int i = 0; i < 100 && parts() < 1000; ++i) {
    Tell(i + 2);
    EventViewer again(port);
    if (again.Next(200)) return;
  }
  FAIL() << "the place of one who left stays taken";
}

TEST_F(EventServerTest, EndsAtOnceWithViewersThere) {
  part_bytes_ = 1 << 20;
  const int port = Start();
  EventViewer reads(port), stalls(port, {}, 4096);
  ASSERT_TRUE(reads.Next());
  const int64_t begin_ns = MonotonicNs();
  Stop();
  EXPECT_LT(MonotonicNs() - begin_ns, 2'000'000'000);
  EXPECT_FALSE(reads.Next(1000));
  EXPECT_TRUE(reads.is_over());
}

TEST_F(EventServerTest, APortThatIsTakenIsOneLine) {
  const int port = Start();
  try {
    const ListeningSocket second(ParseHttpBind(fmt::format("127.0.0.1:{}", port)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kIo);
    EXPECT_EQ(std::string(error.what()),
              fmt::format("cannot listen at 127.0.0.1:{}: Address already in use; another port would be right", port));
  }
}

TEST(ParseHttpBind, TakesAddressesAlone) {
  EXPECT_EQ(ParseHttpBind("127.0.0.1:9192").port, 9192);
  EXPECT_TRUE(ParseHttpBind("localhost:*").is_loopback);
  EXPECT_TRUE(ParseHttpBind("[::1]:1").is_loopback);
  EXPECT_FALSE(ParseHttpBind("*:80").is_loopback);
  EXPECT_FALSE(ParseHttpBind("0.0.0.0:80").is_loopback);
  for (const char* bad : {"", "9192", "127.0.0.1", "example.org:80", "127.0.0.1:99999", "127.0.0.1:-1",
                          "tcp://127.0.0.1:1", "http://127.0.0.1:1", "127.0.0.1:1/", ":80"}) {
    try {
      ParseHttpBind(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadConfig);
      EXPECT_THAT(error.what(), HasSubstr("as 127.0.0.1:9192"));
    }
  }
}

}  // namespace
}  // namespace hone
