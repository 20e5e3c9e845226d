#include "rpc_runner/tracker/outbox.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

constexpr Outbox::Limits kLimits = {16, 64, 250};

class OutboxTest : public testing::Test {
 protected:
  bool Send(const std::string& peer, std::string bytes) { return outbox_.Send(peer, bytes); }

  Socket::Sent now_ = Socket::Sent::kYes;
  std::vector<std::string> sent_;
  Outbox outbox_{[this](const std::string& peer, std::string& bytes) {
                   if (now_ == Socket::Sent::kYes) sent_.push_back(peer + ":" + bytes);
                   return now_;
                 },
                 kLimits};
};

TEST_F(OutboxTest, KeepsTheOrderOfWhatWaits) {
  now_ = Socket::Sent::kFull;
  EXPECT_TRUE(Send("a", "1"));
  now_ = Socket::Sent::kYes;
  EXPECT_TRUE(Send("a", "2"));
  EXPECT_TRUE(Send("b", "3"));
  EXPECT_EQ(sent_, (std::vector<std::string>{"b:3"})) << "what waits goes first";
  outbox_.Flush();
  EXPECT_EQ(sent_, (std::vector<std::string>{"b:3", "a:1", "a:2"}));
  EXPECT_TRUE(outbox_.empty());
  EXPECT_EQ(outbox_.bytes(), 0u);
}

TEST_F(OutboxTest, KeepsOnlySoManyFramesForOne) {
  now_ = Socket::Sent::kFull;
  for (size_t i = 0; i < kLimits.frames; ++i) EXPECT_TRUE(Send("a", "x"));
  EXPECT_FALSE(Send("a", "x"));
  EXPECT_TRUE(Send("b", "x"));
  EXPECT_EQ(outbox_.dropped(), 1);
}

TEST_F(OutboxTest, KeepsOnlySoManyBytes) {
  now_ = Socket::Sent::kFull;
  const std::string big(60, 'x');
  for (const char* peer : {"a", "b", "c", "d"}) {
    EXPECT_TRUE(Send(peer, big));
    EXPECT_FALSE(Send(peer, big));
  }
  EXPECT_FALSE(Send("e", big)) << "250 bytes in all";
  EXPECT_LE(outbox_.bytes(), kLimits.all_bytes);
  now_ = Socket::Sent::kUnreachable;
  outbox_.Flush();
  EXPECT_TRUE(outbox_.empty()) << "nobody is there";
}

TEST_F(OutboxTest, DropsMessagesThatNoPeerTakes) {
  now_ = Socket::Sent::kUnreachable;
  EXPECT_FALSE(Send("a", "x"));
  EXPECT_TRUE(outbox_.empty());
}

}  // namespace
}  // namespace hone
