// Runners that are held, drained and become other programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/rpc_runner/tracker_state_fixture.h"

namespace hone {
namespace {

TEST_F(TrackerStateTest, ServesTheHolderAlone) {
  Hello("1");
  EXPECT_NE(Find(Command("hold", "1", "ann"), "admin", FrameKind::kStatus), nullptr);
  EXPECT_EQ(state_.Status(kSecond).runners.at(0).held_by, "ann");
  EXPECT_EQ(state_.Status(kSecond).runners.at(0).held_ns, 599 * kSecond);
  EXPECT_EQ(HeaderNumber(Find(Ask("b", 255, "bob"), "b", FrameKind::kQueued)->header, "runners"), 0u);
  EXPECT_EQ(CodeOf(Command("hold", "1", "bob"), "admin"), "held");
  EXPECT_EQ(CodeOf(Command("unhold", "1", "bob"), "admin"), "held");
  EXPECT_NE(Find(Ask("a", 0, "ann"), "a", FrameKind::kLease), nullptr);
  EXPECT_EQ(CodeOf(Command("hold", "nothing", "ann"), "admin"), "unknown_device");
}

TEST_F(TrackerStateTest, AHoldEndsByItselfAndByCommand) {
  Hello("1");
  Command("hold", "k", "ann");
  Command("unhold", "k", "ann");
  EXPECT_NE(Find(Ask("b", 100, "bob"), "b", FrameKind::kLease), nullptr);
  Hello("2");
  Command("hold", "2", "ann");
  for (int64_t t = 1; t < 601; ++t) {
    RunnerBeat("2", "", t * kSecond);
    Ask("c", 100, "cid", t * kSecond);
    for (const auto& [peer, frame] : state_.Tick(t * kSecond)) EXPECT_NE(frame.kind, FrameKind::kLeaseOffer) << t;
  }
  RunnerBeat("2", "", 601 * kSecond);
  EXPECT_NE(Find(state_.Tick(601 * kSecond), "2", FrameKind::kLeaseOffer), nullptr);
}

TEST_F(TrackerStateTest, ADrainedRunnerIsGivenBackAndServesNobody) {
  Hello("1");
  const auto leases = Take("a", 1);
  Command("drain", "1", "");
  const Sent beat = Say({"a"}, FrameKind::kHeartbeat, {{"client", "a0"}, {"lease", leases.at(0)}});
  EXPECT_EQ(Find(beat, "a", FrameKind::kHeartbeat)->header["must"], true);
  EXPECT_EQ(StateOfFirst(), "busy") << "it finishes what it does";
  Say({"a"}, FrameKind::kRelease, {{"client", "a0"}, {"lease", leases[0]}});
  EXPECT_EQ(StateOfFirst(), "drained");
  EXPECT_EQ(Find(Ask("b", 255), "1", FrameKind::kLeaseOffer), nullptr);
  EXPECT_NE(Find(TakeOffers(Command("undrain", "1", "")), "b", FrameKind::kLease), nullptr);
}

TEST_F(TrackerStateTest, RunnersRememberHoldsForTheNextTracker) {
  Hello("1");
  Command("hold", "1", "ann");
  Command("drain", "1", "");
  const Sent sent = RunnerBeat("1", "", kSecond);
  const Json note = Find(sent, "1", FrameKind::kHeartbeat)->header["note"];
  state_ = TrackerState();
  Json hello = HelloHeader("1");
  hello["note"] = note;
  Say({"1"}, FrameKind::kHello, hello);
  const RunnerInfo info = state_.Status(kSecond).runners.at(0);
  EXPECT_EQ(info.held_by, "ann");
  EXPECT_EQ(info.held_ns, 598 * kSecond);
  EXPECT_EQ(info.state, "drained");
}

}  // namespace
}  // namespace hone
