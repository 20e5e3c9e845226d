// Runners that are present, and their leases.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/rpc_runner/tracker_state_fixture.h"

namespace hone {
namespace {

TEST_F(TrackerStateTest, ReportsLeasesThatBeginAndEnd) {
  Hello("1");
  const std::string lease = Grant("c", "1");
  ASSERT_FALSE(lease.empty());
  const std::vector<LeaseChange> taken = state_.TakeLeaseChanges();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0], (LeaseChange{true, lease, "1", "k", "", "t"}));
  ClientBeat("c", lease, kSecond);
  EXPECT_TRUE(state_.TakeLeaseChanges().empty());
  state_.Handle({"c"}, {FrameKind::kRelease, {{"client", "c"}, {"lease", lease}}, {}}, 2 * kSecond);
  const std::vector<LeaseChange> over = state_.TakeLeaseChanges();
  ASSERT_EQ(over.size(), 1U);
  EXPECT_FALSE(over[0].begins);
  EXPECT_EQ(over[0].lease, lease);
  EXPECT_TRUE(state_.TakeLeaseChanges().empty());
}

TEST_F(TrackerStateTest, ReportsTheLeaseOfALostRunner) {
  Hello("1");
  Grant("c", "1");
  state_.TakeLeaseChanges();
  state_.Tick(100 * kSecond);
  ASSERT_EQ(state_.TakeLeaseChanges().size(), 1U);
}

TEST_F(TrackerStateTest, DoesNotLeaseAQuarantinedRunner) {
  const std::string why = "golden kernel 6.1 % slower than usual (arithmetic)";
  HelloOfHealth("1", "quarantined", why, 0);
  const Sent sent = Request("c");
  EXPECT_EQ(Find(sent, "1", FrameKind::kLeaseOffer), nullptr);
  const Frame* queued = Find(sent, "c", FrameKind::kQueued);
  ASSERT_NE(queued, nullptr);
  EXPECT_EQ(queued->header["runners"], 0);
  EXPECT_EQ(HeaderText(queued->header["unlike"].at(0), "why"), "quarantined: " + why);
  EXPECT_EQ(state_.Status(0).runners.at(0).state, "quarantined");
  EXPECT_EQ(state_.Status(0).runners.at(0).roofs, "100.5 GFLOP/s, 20.0 GB/s");
  EXPECT_EQ(StatusFromJson(StatusToJson(state_.Status(0))).runners.at(0).health, why);
  // A waiting client gets the runner when it is healthy again.
  EXPECT_NE(Find(HelloOfHealth("1", "healthy", "", kSecond), "1", FrameKind::kLeaseOffer), nullptr);
}

TEST_F(TrackerStateTest, KeepsNoMoreOfARunnersHealthThanALine) {
  HelloOfHealth("1", "quarantined", std::string(100'000, 'x'), 0);
  EXPECT_LT(state_.Status(0).runners.at(0).health.size(), 1000U);
}

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
  EXPECT_EQ(state_.Status(0).queues.at(0).waiting, 2);
  const Sent sent = state_.Handle({"a"}, {FrameKind::kRelease, {{"client", "a"}, {"lease", lease}}, {}}, 0);
  const Frame* offer = Find(sent, "1", FrameKind::kLeaseOffer);
  ASSERT_NE(offer, nullptr);
  const Json taken = {{"runner", "1"}, {"lease", offer->header["lease"]}};
  EXPECT_NE(Find(state_.Handle({"1"}, {FrameKind::kLeaseTaken, taken, {}}, 0), "b", FrameKind::kLease), nullptr);
}

TEST_F(TrackerStateTest, EndsALeaseThatIsNotRenewed) {
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

TEST_F(TrackerStateTest, EndsTheLeaseOfALostRunnerThatComesBack) {
  Hello("1");
  const std::string lease = Grant("c", "1");
  state_.Tick(4 * kSecond);
  ASSERT_EQ(StateOfFirst(), "lost");
  const Sent sent = Hello("1", lease, 5 * kSecond);
  const Frame* end = Find(sent, "1", FrameKind::kLeaseEnd);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(HeaderText(end->header, "lease"), lease);
  EXPECT_EQ(StateOfFirst(), "free");
  EXPECT_NE(Grant("c", "1", 5 * kSecond), "") << "its client need not wait until the lease would have lapsed";
}

TEST_F(TrackerStateTest, KeepsItsOfferToARunnerThatSaysHelloTwice) {
  Hello("1");
  const Sent sent = Request("c");
  const Frame* offer = Find(sent, "1", FrameKind::kLeaseOffer);
  ASSERT_NE(offer, nullptr);
  const std::string lease = HeaderText(offer->header, "lease");
  EXPECT_EQ(Find(Hello("1"), "1", FrameKind::kLeaseOffer), nullptr) << "one offer is under way already";
  const Sent taken = state_.Handle({"1"}, {FrameKind::kLeaseTaken, {{"runner", "1"}, {"lease", lease}}, {}}, 0);
  EXPECT_NE(Find(taken, "c", FrameKind::kLease), nullptr);
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
  EXPECT_TRUE(state_.Status(0).queues.empty());
}

TEST_F(TrackerStateTest, RegistersAThousandRunners) {
  for (int i = 0; i < 1000; ++i) Hello(std::to_string(i));
  EXPECT_EQ(state_.Status(0).runners.size(), 1000u);
  EXPECT_NE(Find(Request("c"), "0", FrameKind::kLeaseOffer), nullptr);
}

TEST_F(TrackerStateTest, KeepsNoEnvironmentThatIsTooBig) {
  Json exceeded = ToJson(Environment());
  exceeded["kernel"] = std::string(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    Json header = HelloHeader(std::to_string(i));
    header["environment"] = exceeded;
    EXPECT_EQ(CodeOf(Say({"p"}, FrameKind::kHello, header), "p"), "too_big");
  }
  Json header = HelloHeader("long");
  header["label"] = std::string(129, 'l');
  EXPECT_EQ(CodeOf(Say({"p"}, FrameKind::kHello, header), "p"), "too_big");
  EXPECT_TRUE(state_.Status(0).runners.empty());
}

TEST_F(TrackerStateTest, KeepsALimitedNumberOfRunnersAndForgetsLostOnesFirst) {
  for (size_t i = 0; i < TrackerState::kMostRunners; ++i) Hello(std::to_string(i), "", 10 * kSecond);
  EXPECT_EQ(CodeOf(Hello("more", "", 10 * kSecond), "more"), "full");
  EXPECT_EQ(state_.Status(0).runners.size(), TrackerState::kMostRunners);
  state_.Tick(14 * kSecond);
  EXPECT_EQ(CodeOf(Hello("more", "", 14 * kSecond), "more"), "");
  EXPECT_EQ(state_.Status(0).runners.size(), TrackerState::kMostRunners);
}

TEST_F(TrackerStateTest, QueuesOnlySoManyClients) {
  for (size_t i = 0; i < TrackerState::kMostWaiting; ++i) Request(std::to_string(i));
  EXPECT_EQ(CodeOf(Request("more"), "more"), "full");
  EXPECT_EQ(CodeOf(Request("7"), "7"), "") << "who waits may say so again";
}

TEST_F(TrackerStateTest, ARunnerThatSaysByeGivesItsLeaseBackAtOnce) {
  Hello("1");
  Grant("c", "1");
  EXPECT_NE(Find(Say({"1"}, FrameKind::kBye, {{"runner", "1"}}), "c", FrameKind::kLeaseEnd), nullptr);
  EXPECT_TRUE(state_.Status(0).runners.empty());
}

TEST_F(TrackerStateTest, MatchesAThousandAtOnce) {
  for (int i = 0; i < 1000; ++i) Request("c" + std::to_string(i));
  int leases = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const auto& [peer, frame] : TakeOffers(Hello(std::to_string(i)))) leases += frame.kind == FrameKind::kLease;
  }
  EXPECT_EQ(leases, 1000);
  EXPECT_EQ(state_.counts().leases, 1000);
}

TEST_F(TrackerStateTest, StatusTravelsAsJson) {
  Hello("1");
  Request("a");
  Request("b");
  const TrackerStatus status = state_.Status(0);
  const TrackerStatus back = StatusFromJson(ParseJson(DumpJson(StatusToJson(status)), "status"));
  EXPECT_EQ(back.runners.at(0).address, "tcp://127.0.0.1:1");
  EXPECT_EQ(back.queues.size(), status.queues.size());
  EXPECT_THROW(StatusFromJson(Json::object()), Error);
}

}  // namespace
}  // namespace hone
