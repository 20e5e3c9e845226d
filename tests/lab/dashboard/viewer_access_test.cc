// Viewers that a dashboard admits, and the answers to others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.h"
#include "lab/dashboard/dashboard_page.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef-_XY";

HttpRequest From(const std::string& host) { return {"GET", "/", {{"host", host}}, {}, {}}; }

int StatusOf(const ViewerAccess& access, const HttpRequest& request) {
  const std::optional<HttpAnswer> refusal = access.Check(request);
  return refusal ? refusal->status : 200;
}

TEST(ViewerAccess, WithoutATokenAnswersToThisMachinesOwnNamesAlone) {
  const ViewerAccess access("");
  for (const char* own : {"127.0.0.1:9192", "localhost", "localhost:9192", "127.0.0.1", "[::1]:9192", "[::1]"}) {
    EXPECT_EQ(StatusOf(access, From(own)), 200) << own;
  }
  for (const char* other : {"", "evil.example", "evil.example:9192", "127.0.0.1.evil.example:9192", "10.0.0.1:9192",
                            "localhost.evil.example", "[::2]:9192", "localhost:x"}) {
    EXPECT_EQ(StatusOf(access, From(other)), 403) << other;
  }
}

TEST(ViewerAccess, TakesTheTokenFromWhereItMayBe) {
  const ViewerAccess access(kToken);
  const std::string token = kToken;
  HttpRequest request = From("lab.example:9192");
  EXPECT_EQ(StatusOf(access, request), 401);
  request.headers["authorization"] = "Bearer " + token;
  EXPECT_EQ(StatusOf(access, request), 200);
  request.headers["authorization"] = "Bearer " + token.substr(1);
  EXPECT_EQ(StatusOf(access, request), 401);
  request.headers["authorization"] = token;
  EXPECT_EQ(StatusOf(access, request), 401);
  request.cookies["hone_dashboard"] = token;
  EXPECT_EQ(StatusOf(access, request), 200);
  request.cookies["hone_dashboard"] = "";
  EXPECT_EQ(StatusOf(access, request), 401);
  request.query["token"] = "";
  EXPECT_EQ(StatusOf(access, request), 401);
}

TEST(ViewerAccess, GivesABrowserACookieForTheToken) {
  HttpRequest request = From("lab.example:9192");
  request.query["token"] = kToken;
  const std::optional<HttpAnswer> answer = ViewerAccess(kToken).Check(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 303);
  EXPECT_THAT(answer->headers,
              testing::ElementsAre(testing::Pair("Location", "/"),
                                   testing::Pair("Set-Cookie", std::string("hone_dashboard=") + kToken +
                                                                   "; HttpOnly; SameSite=Strict; Path=/")));
}

TEST(Token, IsMadeOnceAndReadAgain) {
  const TempFolder folder;
  const std::string path = folder.File("token");
  const std::string token = ReadOrMakeToken(path);
  EXPECT_EQ(token.size(), 32U);
  EXPECT_EQ(ReadBytes(path), token + "\n");
  EXPECT_EQ(ReadOrMakeToken(path), token);
  EXPECT_NE(ReadOrMakeToken(folder.File("other")), token);
  struct stat file = {};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST(Token, IsRefusedIfOthersMayReadItOrItIsDamaged) {
  const TempFolder folder;
  const std::string path = folder.File("token");
  const auto expect_refusal = [&path](const std::string& why) {
    try {
      ReadOrMakeToken(path);
      ADD_FAILURE() << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadConfig);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  for (const std::string& bad : {std::string(), std::string("short\n"), std::string(200, 'x'),
                                 std::string("0123456789abcdef 0123\n"), std::string("0123456789abcdef\n\n")}) {
    WriteBytes(path, bad);
    chmod(path.c_str(), 0600);
    expect_refusal("holds no token: one line of 16 to 128");
  }
  WriteBytes(path, "0123456789abcdef\n");
  chmod(path.c_str(), 0644);
  expect_refusal("the dashboard's token");
}

}  // namespace
}  // namespace hone
