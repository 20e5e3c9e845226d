// Uploads to a server that takes the file, refuses it, or breaks off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "db/packs/url_transfer.h"
#include "tests/db/one_shot_server.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr PutLimits kQuick{.attempts = 3, .pause_ms = 1, .stall_seconds = 5};

std::string Answer(const std::string& status) { return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"; }

ExitCode CodeOf(const std::string& url, std::string* message = nullptr) {
  try {
    PutUrl(url, "bytes", kQuick);
    return ExitCode::kDone;
  } catch (const Error& error) {
    if (message != nullptr) *message = error.what();
    return error.code();
  }
}

TEST(PutUrl, TheServerGetsTheBytesAsTheyAre) {
  const OneShotServer server([](int, const std::string&) { return Answer("201 Created"); });
  std::string bytes(100'000, 'x');
  bytes[5] = '\0';
  PutUrl(server.Url("/a"), bytes, kQuick);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_THAT(requests[0], StartsWith("PUT /a HTTP/1.1"));
  EXPECT_THAT(requests[0], HasSubstr("Content-Type: application/octet-stream"));
  EXPECT_TRUE(requests[0].ends_with("\r\n\r\n" + bytes));
}

TEST(PutUrl, ARefusalIsAnErrorOfAuthorisation) {
  for (const char* status : {"401 Unauthorized", "403 Forbidden"}) {
    const OneShotServer server([&](int, const std::string&) { return Answer(status); });
    EXPECT_EQ(CodeOf(server.Url()), ExitCode::kNotAuthorised);
    EXPECT_EQ(server.requests().size(), 1U);
  }
}

TEST(PutUrl, WhatTheServerWillNotHaveIsNotSentTwice) {
  const OneShotServer server([](int, const std::string&) { return Answer("405 Method Not Allowed"); });
  EXPECT_EQ(CodeOf(server.Url()), ExitCode::kCannotCreate);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(PutUrl, ABusyServerIsAskedAgain) {
  const OneShotServer server([](int number, const std::string&) {
    return Answer(number == 1 ? "503 Service Unavailable" : "204 No Content");
  });
  EXPECT_EQ(CodeOf(server.Url()), ExitCode::kDone);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(PutUrl, GivesUpOnAServerThatAlwaysBreaksOff) {
  const OneShotServer server([](int, const std::string&) { return std::string(); });
  EXPECT_EQ(CodeOf(server.Url()), ExitCode::kNoRunner);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(PutUrl, FollowsNoRedirect) {
  const OneShotServer server([](int, const std::string&) {
    return "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
  });
  EXPECT_EQ(CodeOf(server.Url()), ExitCode::kCannotCreate);
}

TEST(PutUrl, ATokenIsSentAndNeverShown) {
  const OneShotServer server([](int, const std::string&) { return Answer("403 Forbidden"); });
  std::string url = server.Url(), message;
  url.insert(url.find("//") + 2, "me:secret@");
  EXPECT_EQ(CodeOf(url, &message), ExitCode::kNotAuthorised);
  EXPECT_THAT(server.requests()[0], HasSubstr("Authorization: Basic "));
  EXPECT_THAT(message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace hone
