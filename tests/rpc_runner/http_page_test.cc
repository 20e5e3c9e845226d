#include "rpc_runner/tracker/http_page.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/tracker/fleet_status.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Browser {
 public:
  explicit Browser(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(static_cast<uint16_t>(port));
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  }
  ~Browser() { close(fd_); }
  void Say(const std::string& text) {
    EXPECT_EQ(send(fd_, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
  }
  // Reads until the page hangs up.
  std::string Answer(HttpPage& page) {
    std::string all;
    const int64_t until_ns = MonotonicNs() + 20'000'000'000;
    while (MonotonicNs() < until_ns) {
      page.Serve();
      pollfd readable{fd_, POLLIN, 0};
      if (poll(&readable, 1, 5) <= 0) continue;
      char bytes[4096];
      const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) return all;
      all.append(bytes, static_cast<size_t>(got));
    }
    return "nothing: it did not hang up";
  }

 private:
  int fd_;
};

HttpPage::Answer PageAt(const std::string& path) {
  return path == "/healthz" ? HttpPage::Answer{200, "ok\n"} : HttpPage::Answer{404, "no\n"};
}

std::string Get(HttpPage& page, const std::string& request) {
  Browser browser(page.port());
  browser.Say(request);
  return browser.Answer(page);
}

TEST(HttpPage, AnswersOnePathAndCloses) {
  HttpPage page("127.0.0.1:0", PageAt);
  EXPECT_THAT(
      Get(page, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 3\r\n"), HasSubstr("\r\n\r\nok\n")));
  EXPECT_THAT(Get(page, "GET /healthz?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get(page, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), StartsWith("HTTP/1.1 404"));
}

TEST(HttpPage, RefusesWhatIsNoGet) {
  HttpPage page("127.0.0.1:0", PageAt);
  for (const char* request :
       {"POST /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "PUT /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    EXPECT_THAT(Get(page, request), StartsWith("HTTP/1.1 405")) << request;
  }
  // The page refuses these requests, or hangs up.
  for (const std::string& request : {std::string("GET\r\n\r\n"), std::string("\r\n\r\n"), std::string("HONF\2\r\n\r\n"),
                                     std::string("GET /healthz\r\n\r\n"), std::string(8192, 'x')}) {
    EXPECT_THAT(Get(page, request), testing::AnyOf(StartsWith("HTTP/1.1 4"), "")) << request;
  }
}

// A site whose DNS name was pointed at 127.0.0.1 sends that name as Host.
TEST(HttpPage, AnswersForNamesOfThisMachineAlone) {
  HttpPage page("127.0.0.1:0", PageAt);
  const auto ask = [&](const std::string& host) { return Get(page, "GET /healthz HTTP/1.1\r\n" + host + "\r\n"); };
  for (const char* host :
       {"localhost", "localhost:9191", "127.0.0.1", "127.0.0.1:1", "127.8.8.8", "[::1]", "[::1]:80"}) {
    EXPECT_THAT(ask("Host: " + std::string(host) + "\r\n"), StartsWith("HTTP/1.1 200")) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:9191", "x",
                           "10.0.0.1", "[::2]", "", "*", "localhost:", "localhost:80:80", "2130706433", "0.0.0.0",
                           "127.1", "[::ffff:127.0.0.1]", "127.0.0.1@evil.example", "localhost/x"}) {
    EXPECT_THAT(ask("Host: " + std::string(host) + "\r\n"), StartsWith("HTTP/1.1 403")) << host;
  }
  EXPECT_THAT(Get(page, "GET /healthz HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 403"));
}

TEST(HttpPage, KeepsOtherSitesOut) {
  HttpPage page("127.0.0.1:0", PageAt);
  for (const char* path : {"/healthz", "/nothing"}) {
    const std::string answer = Get(page, std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (const char* header : {"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
                               "Cross-Origin-Resource-Policy: same-origin", "frame-ancestors 'none'"}) {
      EXPECT_THAT(answer, HasSubstr(header)) << path;
    }
  }
}

TEST(HttpPage, HangsUpOnThoseThatSayNothing) {
  HttpPage page("127.0.0.1:0", PageAt);
  Browser idle(page.port());
  EXPECT_EQ(idle.Answer(page), "");
}

TEST(HttpPage, IsOfThisMachineAlone) {
  for (const char* address : {"0.0.0.0:0", "10.0.0.1:80", "localhost", "127.0.0.1:x", "127.0.0.1:70000", ":80", ""}) {
    EXPECT_THROW(HttpPage(address, PageAt), Error) << address;
  }
}

TEST(HttpPage, SaysThatItsPortIsTaken) {
  const HttpPage first("127.0.0.1:0", PageAt);
  const std::string address = "127.0.0.1:" + std::to_string(first.port());
  EXPECT_THAT([&] { HttpPage(address, PageAt); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot listen at " + address)));
}

TEST(Metrics, AreOneLinePerNumberWithEscapedLabels) {
  TrackerNumbers numbers;
  RunnerInfo runner;
  runner.key = "a\"b";
  runner.state = "busy";
  numbers.status.runners = {runner, runner};
  numbers.status.queues = {{"k\n\x1b[31mred\u202E", 3, {}}};
  numbers.counts.refused["no_lease"] = 4;
  numbers.relayed_frames = 17;
  numbers.refused_keys["not on the list"] = 3;
  const std::string text = MetricsText(numbers);
  EXPECT_THAT(text, HasSubstr("hone_tracker_runners{key=\"a\\\"b\",state=\"busy\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("hone_tracker_waiting_tuners{key=\"k \\\\u001b[31mred\\\\u202e\"} 3\n"));
  EXPECT_THAT(text,
              HasSubstr("# TYPE hone_tracker_relayed_frames_total counter\nhone_tracker_relayed_frames_total 17\n"));
  EXPECT_THAT(text, HasSubstr("hone_tracker_refused_frames_total{code=\"no_lease\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("hone_tracker_refused_keys_total{reason=\"not on the list\"} 3\n"));
}

}  // namespace
}  // namespace hone
