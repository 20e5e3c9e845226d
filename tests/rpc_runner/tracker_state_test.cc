#include "rpc_runner/tracker_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
using Sent = std::vector<TrackerState::Outgoing>;

const Frame* Find(const Sent& sent, const std::string& peer, FrameKind kind) {
  for (const auto& [to, frame] : sent) {
    if (to == peer && frame.kind == kind) return &frame;
  }
  return nullptr;
}

class TrackerStateTest : public testing::Test {
 protected:
  Sent Hello(const std::string& id, const std::string& lease = "", int64_t now = 0) {
    return state_.Handle(id,
                         {FrameKind::kHello,
                          {{"runner", id},
                           {"key", "k"},
                           {"label", id},
                           {"address", "tcp://127.0.0.1:" + id},
                           {"environment", ToJson(Environment())},
                           {"lease", lease},
                           {"jobs_done", 0}},
                          {}},
                         now);
  }
  Sent RunnerBeat(const std::string& id, const std::string& lease, int64_t now) {
    return state_.Handle(id, {FrameKind::kHeartbeat, {{"runner", id}, {"lease", lease}, {"jobs_done", 4}}, {}}, now);
  }
  Sent Request(const std::string& client, int64_t now = 0) {
    return state_.Handle(client, {FrameKind::kLeaseRequest, {{"client", client}, {"label", "t"}, {"key", "k"}}, {}},
                         now);
  }
  Sent ClientBeat(const std::string& client, const std::string& lease, int64_t now) {
    return state_.Handle(client, {FrameKind::kHeartbeat, {{"client", client}, {"lease", lease}}, {}}, now);
  }
  // A lease from request to grant; its name.
  std::string Grant(const std::string& client, const std::string& runner, int64_t now = 0) {
    const Sent sent = Request(client, now);
    const Frame* offer = Find(sent, runner, FrameKind::kLeaseOffer);
    if (offer == nullptr) return "";
    const std::string lease = HeaderText(offer->header, "lease");
    const Sent taken = state_.Handle(runner, {FrameKind::kLeaseTaken, {{"runner", runner}, {"lease", lease}}, {}}, now);
    return Find(taken, client, FrameKind::kLease) != nullptr ? lease : "";
  }
  std::string StateOfFirst() const { return state_.Status().runners.at(0).state; }

  TrackerState state_;
};

TEST_F(TrackerStateTest, GrantsWhatTheRunnerHasTaken) {
  Hello("1");
  EXPECT_EQ(StateOfFirst(), "free");
  EXPECT_NE(Grant("c", "1"), "");
  EXPECT_EQ(StateOfFirst(), "busy");
}

TEST_F(TrackerStateTest, ServesTheQueueInItsOrder) {
  Hello("1");
  const std::string lease = Grant("a", "1");
  Request("b");
  const Sent queued = Request("c");
  EXPECT_EQ(HeaderNumber(Find(queued, "c", FrameKind::kQueued)->header, "position"), 1u);
  EXPECT_EQ(state_.Status().queues.at(0).waiting, 2);
  const Sent sent = state_.Handle("a", {FrameKind::kRelease, {{"client", "a"}, {"lease", lease}}, {}}, 0);
  const Frame* offer = Find(sent, "1", FrameKind::kLeaseOffer);
  ASSERT_NE(offer, nullptr);
  const Json taken = {{"runner", "1"}, {"lease", offer->header["lease"]}};
  EXPECT_NE(Find(state_.Handle("1", {FrameKind::kLeaseTaken, taken, {}}, 0), "b", FrameKind::kLease), nullptr);
}

TEST_F(TrackerStateTest, EndsALeaseThatNobodyRenews) {
  Hello("1");
  const std::string lease = Grant("c", "1");
  for (int64_t t = 1; t <= 20; ++t) {
    RunnerBeat("1", lease, t * kSecond);
    if (t <= 5) ClientBeat("c", lease, t * kSecond);
    const Sent sent = state_.Tick(t * kSecond);
    EXPECT_EQ(Find(sent, "1", FrameKind::kLeaseEnd), nullptr) << t;
  }
  RunnerBeat("1", lease, 21 * kSecond);
  EXPECT_NE(Find(state_.Tick(21 * kSecond), "1", FrameKind::kLeaseEnd), nullptr);
  EXPECT_EQ(StateOfFirst(), "free");
}

TEST_F(TrackerStateTest, TellsTheClientOfALostRunner) {
  Hello("1");
  Grant("c", "1");
  EXPECT_TRUE(state_.Tick(2 * kSecond).empty());
  EXPECT_NE(Find(state_.Tick(4 * kSecond), "c", FrameKind::kLeaseEnd), nullptr);
  EXPECT_EQ(StateOfFirst(), "lost");
  EXPECT_EQ(RunnerBeat("1", "", 5 * kSecond).at(0).frame.kind, FrameKind::kError);
  Hello("1", "", 5 * kSecond);
  EXPECT_EQ(StateOfFirst(), "free");
}

TEST_F(TrackerStateTest, GivesAnUntakenOfferToTheNextRunner) {
  Hello("1");
  Request("c");
  Hello("2", "", 2 * kSecond);
  Request("c", 3 * kSecond);
  const Sent sent = state_.Tick(4 * kSecond);
  EXPECT_NE(Find(sent, "2", FrameKind::kLeaseOffer), nullptr);
}

TEST_F(TrackerStateTest, LearnsOfLeasesAfterARestart) {
  EXPECT_EQ(RunnerBeat("1", "old", 0).at(0).frame.kind, FrameKind::kError);
  Hello("1", "old");
  EXPECT_EQ(StateOfFirst(), "busy");
  ClientBeat("c", "old", 14 * kSecond);
  RunnerBeat("1", "old", 14 * kSecond);
  state_.Tick(16 * kSecond);
  EXPECT_EQ(StateOfFirst(), "busy");
}

TEST_F(TrackerStateTest, ForgetsSilentClients) {
  Request("c");
  state_.Tick(4 * kSecond);
  EXPECT_TRUE(state_.Status().queues.empty());
}

TEST_F(TrackerStateTest, RegistersAThousandRunners) {
  for (int i = 0; i < 1000; ++i) Hello(std::to_string(i));
  EXPECT_EQ(state_.Status().runners.size(), 1000u);
  EXPECT_NE(Find(Request("c"), "0", FrameKind::kLeaseOffer), nullptr);
}

TEST_F(TrackerStateTest, StatusTravelsAsJson) {
  Hello("1");
  Request("a");
  Request("b");
  const TrackerStatus status = state_.Status();
  const TrackerStatus back = StatusFromJson(ParseJson(DumpJson(StatusToJson(status)), "status"));
  EXPECT_EQ(back.runners.at(0).address, "tcp://127.0.0.1:1");
  EXPECT_EQ(back.queues.size(), status.queues.size());
  EXPECT_THROW(StatusFromJson(Json::object()), Error);
}

}  // namespace
}  // namespace hone
