// The distribution of runners among tuners, and their return.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/rpc_runner/tracker_state_fixture.h"

namespace hone {
namespace {

TEST_F(TrackerStateTest, AsksATunerToReleaseRunnersUntilBothHaveEquallyMany) {
  for (const char* id : {"1", "2", "3", "4"}) Hello(id);
  const auto leases = Take("a", 4);
  ASSERT_EQ(leases.size(), 4u);
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases[0]));
  AskMore("a", "a4");
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases[0])) << "nobody else waits";
  for (int given = 0; given < 2; ++given) {
    const std::string name = "b" + std::to_string(given);
    AskMore("b", name);
    EXPECT_TRUE(IsAskedToYield("a", "a3", leases[3]));
    const std::string back = "a" + std::to_string(given);
    const Sent sent = state_.Handle({"a"}, {FrameKind::kRelease, {{"client", back}, {"lease", leases[0]}}, {}}, 0);
    EXPECT_NE(Find(TakeOffers(sent), "b", FrameKind::kLease), nullptr) << "it has less than a, who came first";
  }
  AskMore("b", "b2");
  EXPECT_FALSE(IsAskedToYield("a", "a3", leases[3])) << "two each";
}

TEST_F(TrackerStateTest, LeavesATunerItsOnlyRunner) {
  Hello("1");
  const auto leases = Take("a", 1);
  ASSERT_EQ(leases.size(), 1u);
  AskMore("b", "b0");
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases[0]));
}

TEST_F(TrackerStateTest, ServesClientsThatDoNotCountTheirLeases) {
  for (const char* id : {"1", "2"}) Hello(id);
  const auto leases = Take("a", 2);
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_NE(Find(Request("old"), "old", FrameKind::kQueued), nullptr);
  EXPECT_TRUE(IsAskedToYield("a", "a0", leases[0]));
  state_.Handle({"a"}, {FrameKind::kRelease, {{"client", "a1"}, {"lease", leases[1]}}, {}}, 0);
  EXPECT_EQ(HeaderText(ClientBeat("old", "none", 0).at(0).frame.header, "code"), "no_lease");
}

TEST_F(TrackerStateTest, GivesTheSameMachineThoughItsGoldenTimeIsAnother) {
  Environment wanted;
  wanted.cpu_id = "new";
  wanted.golden_kernel = "1-avx2";
  wanted.golden_ns = 900'000;
  HelloFrom("1", "new", 800'000, "other boot");
  HelloFrom("2", "new", 800'000, "this boot");
  const Sent sent = AskMore("a", "a0", MachineKind(wanted, "this boot"));
  const Frame* lease = Find(sent, "a", FrameKind::kLease);
  ASSERT_NE(lease, nullptr);
  EXPECT_EQ(HeaderText(lease->header, "label"), "host2");
  EXPECT_EQ(HeaderText(lease->header, "boot"), "this boot");
  const Sent more = AskMore("a", "a1", MachineKind(wanted, "this boot"));
  EXPECT_EQ(Find(more, "a", FrameKind::kLease), nullptr) << "another machine is not as fast";
}

TEST_F(TrackerStateTest, GivesMachinesOfTheKindAskedFor) {
  HelloFrom("1", "old");
  HelloFrom("2", "new");
  Environment wanted;
  wanted.cpu_id = "new";
  const Frame* lease = nullptr;
  const Sent sent = AskMore("a", "a0", MachineKind(wanted));
  ASSERT_NE(lease = Find(sent, "a", FrameKind::kLease), nullptr);
  EXPECT_EQ(HeaderText(lease->header, "label"), "host2");
  EXPECT_EQ(HeaderText(lease->header, "client"), "a0");
  const Sent more = AskMore("a", "a1", MachineKind(wanted));
  EXPECT_EQ(Find(more, "a", FrameKind::kLease), nullptr);
  const Frame* queued = Find(more, "a", FrameKind::kQueued);
  ASSERT_NE(queued, nullptr);
  EXPECT_EQ(HeaderNumber(queued->header, "runners"), 1u);
  EXPECT_EQ(HeaderText(queued->header["unlike"].at(0), "why"), "its cpu_id is \"old\", not \"new\"");
  EXPECT_NE(Find(AskMore("b", "b0"), "b", FrameKind::kLease), nullptr) << "another tuner may take it";
}

TEST_F(TrackerStateTest, DoesNotAskForTheReleaseOfARunnerThatDoesNotFit) {
  HelloFrom("1", "new");
  HelloFrom("2", "new");
  const auto leases = Take("a", 2);
  Environment wanted;
  wanted.cpu_id = "old";
  AskMore("b", "b0", MachineKind(wanted));
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases.at(0)));
}

TEST_F(TrackerStateTest, CountsLeasesAgainAfterARestart) {
  Hello("1", "one");
  Hello("2", "two");
  AskMore("b", "b0");
  EXPECT_FALSE(IsAskedToYield("a", "a0", "one")) << "the other lease's tuner is not known yet";
  EXPECT_TRUE(IsAskedToYield("a", "a1", "two"));
}

TEST_F(TrackerStateTest, CountsOnlyThoseThatHaveNoneAsWaiting) {
  Hello("1");
  Take("a", 1);
  AskMore("a", "a1");
  for (const QueueInfo& queue : state_.Status(0).queues) EXPECT_EQ(queue.waiting, 0);
  AskMore("b", "b0");
  EXPECT_EQ(state_.Status(0).queues.at(0).waiting, 1);
}

TEST_F(TrackerStateTest, ServesTheHighestPriorityFirst) {
  Ask("low", 10);
  Ask("high", 200);
  Ask("middle", 100);
  const Sent sent = Ask("low", 10);
  const Frame* queued = Find(sent, "low", FrameKind::kQueued);
  EXPECT_EQ(HeaderNumber(queued->header, "position"), 2u);
  EXPECT_NE(Find(TakeOffers(Hello("1")), "high", FrameKind::kLease), nullptr);
  EXPECT_NE(Find(TakeOffers(Hello("2")), "middle", FrameKind::kLease), nullptr);
  EXPECT_NE(Find(TakeOffers(Hello("3")), "low", FrameKind::kLease), nullptr);
}

TEST_F(TrackerStateTest, PriorityTakesAllButTheLastRunner) {
  for (const char* id : {"1", "2"}) Hello(id);
  const auto leases = Take("a", 2);
  Ask("urgent", 200);
  EXPECT_TRUE(IsAskedToYield("a", "a0", leases.at(0)));
  EXPECT_NE(Find(TakeOffers(Say({"a"}, FrameKind::kRelease, {{"client", "a0"}, {"lease", leases[0]}})), "urgent",
                 FrameKind::kLease),
            nullptr);
  Ask("urgent2", 200);
  EXPECT_FALSE(IsAskedToYield("a", "a1", leases.at(1)));
}

TEST_F(TrackerStateTest, ALowPriorityDoesNotMakeOthersYield) {
  for (const char* id : {"1", "2", "3"}) Hello(id);
  const auto leases = Take("a", 3);
  Ask("idle", 1);
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases.at(0)));
}

}  // namespace
}  // namespace hone
