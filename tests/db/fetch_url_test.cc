// Fetching from a server that breaks off, lies and floods.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "db/packs/url_transfer.h"
#include "tests/db/one_shot_server.h"

namespace hone {
namespace {

const std::string kBody = [] {
  std::string body;
  for (int i = 0; i < 30'000; ++i) body += static_cast<char>('a' + i % 26);
  return body;
}();
constexpr FetchLimits kQuick{.most_bytes = 1 << 20, .attempts = 4, .pause_ms = 1, .stall_seconds = 5};

std::string Whole(const std::string& tag = "\"1\"") {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nETag: {}\r\n\r\n{}", kBody.size(), tag, kBody);
}
// The answer with at most `bytes` bytes of its body.
std::string Cut(const std::string& answer, size_t bytes) {
  return answer.substr(0, answer.find("\r\n\r\n") + 4 + bytes);
}

std::string Rest(const std::string& request) {
  const size_t at = request.find("Range: bytes=");
  const auto from = static_cast<size_t>(std::stoul(request.substr(at + 13)));
  return fmt::format(
      "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {}-{}/{}\r\nETag: "
      "\"1\"\r\n\r\n{}",
      kBody.size() - from, from, kBody.size() - 1, kBody.size(), kBody.substr(from));
}

ExitCode CodeOf(const OneShotServer& server) {
  try {
    FetchUrl(server.Url(), kQuick);
    return ExitCode::kDone;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(FetchUrl, GivesWhatTheServerHas) {
  const OneShotServer server([](int, const std::string&) { return Whole(); });
  EXPECT_EQ(FetchUrl(server.Url(), kQuick), kBody);
}

TEST(FetchUrl, ResumesABrokenTransfer) {
  const OneShotServer server([](int number, const std::string& request) {
    if (number == 1) return Cut(Whole(), 10'000);
    return number == 2 ? Cut(Rest(request), 5'000) : Rest(request);
  });
  EXPECT_EQ(FetchUrl(server.Url(), kQuick), kBody);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_THAT(requests[1], testing::HasSubstr("Range: bytes=10000-"));
  EXPECT_THAT(requests[1], testing::HasSubstr("If-Range: \"1\""));
  EXPECT_THAT(requests[2], testing::HasSubstr("Range: bytes=15000-"));
}

TEST(FetchUrl, BeginsAnewWhereTheServerHasChangedIt) {
  const OneShotServer server(
      [](int number, const std::string&) { return number == 1 ? Cut(Whole("\"0\""), 10'000) : Whole(); });
  EXPECT_EQ(FetchUrl(server.Url(), kQuick), kBody);
}

TEST(FetchUrl, BeginsAnewWhereTheServerTellsNoVersion) {
  const std::string plain = fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", kBody.size(), kBody);
  const OneShotServer server([&](int number, const std::string&) { return number == 1 ? Cut(plain, 100) : plain; });
  EXPECT_EQ(FetchUrl(server.Url(), kQuick), kBody);
  EXPECT_THAT(server.requests()[1], testing::Not(testing::HasSubstr("Range:")));
}

TEST(FetchUrl, GivesUpOnAServerThatAlwaysBreaksOff) {
  const OneShotServer server([](int, const std::string&) { return Cut(Whole(), 0); });
  EXPECT_EQ(CodeOf(server), ExitCode::kNoRunner);
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST(FetchUrl, WhatIsNotThereIsNotAskedForTwice) {
  const OneShotServer server(
      [](int, const std::string&) { return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"; });
  EXPECT_EQ(CodeOf(server), ExitCode::kNoInput);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(FetchUrl, AFloodIsRefused) {
  const OneShotServer server(
      [](int, const std::string&) { return "HTTP/1.1 200 OK\r\n\r\n" + std::string(3 << 20, 'x'); });
  EXPECT_EQ(CodeOf(server), ExitCode::kBadData);
}

TEST(FetchUrl, FollowsNoRedirectToAFile) {
  const OneShotServer server([](int, const std::string&) {
    return "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n";
  });
  EXPECT_EQ(CodeOf(server), ExitCode::kNoRunner);
}

TEST(FetchUrl, FailsIfNoServerListens) {
  EXPECT_THROW(FetchUrl("http://127.0.0.1:1/pack", {.attempts = 2, .pause_ms = 1}), Error);
}

}  // namespace
}  // namespace hone
