// Runners that are held, drained and upgraded to other programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "core/hash/hash.h"
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

TEST_F(TrackerStateTest, NamesTheHolderToATunerThatWaits) {
  Hello("1");
  const auto busy = [&](const std::string& user) {
    const Sent sent = Ask("b", 100, user);
    const Frame* queued = Find(sent, "b", FrameKind::kQueued);
    return queued != nullptr && queued->header.contains("busy") ? DumpJson(queued->header["busy"]) : "";
  };
  Command("hold", "1", "ann");
  EXPECT_EQ(busy("bob"), R"([{"label":"1","why":"held by ann","for_ns":600000000000}])");
  Command("drain", "1", "");
  EXPECT_EQ(busy("bob"), R"([{"label":"1","why":"drained"}])");
  // Otherwise this client would be the next to get it.
  Say({"b"}, FrameKind::kRelease, {{"client", "b"}, {"lease", ""}});
  Command("unhold", "1", "ann");
  Command("undrain", "1", "");
  Take("a", 1);
  EXPECT_EQ(busy("bob").find(R"([{"label":"1","why":"leased by )"), 0u) << busy("bob");
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

// Between a hold's end and the tick that removes it, its time left is 0 and never negative.
TEST_F(TrackerStateTest, AHoldThatIsJustOverIsToldInNumbersThatCanBeRead) {
  Hello("1");
  Command("hold", "1", "ann");
  const TrackerStatus told = StatusFromJson(StatusToJson(state_.Status(601 * kSecond)));
  EXPECT_EQ(told.runners.at(0).held_by, "ann");
  EXPECT_EQ(told.runners.at(0).held_ns, 0);
}

TEST_F(TrackerStateTest, ADrainedRunnerIsReleasedAndGetsNoLease) {
  Hello("1");
  const auto leases = Take("a", 1);
  Command("drain", "1", "");
  const Sent heartbeat = Say({"a"}, FrameKind::kHeartbeat, {{"client", "a0"}, {"lease", leases.at(0)}});
  EXPECT_EQ(Find(heartbeat, "a", FrameKind::kHeartbeat)->header["must"], true);
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

class TrackerUpgradeTest : public TrackerStateTest {
 protected:
  static Json HelloOf(const std::string& id, const std::string& program, bool upgrades = true) {
    Json hello = HelloHeader(id);
    hello["program"] = {{"version", "0.1.0"}, {"sha256", program}, {"upgrades", upgrades}};
    return hello;
  }
  Sent Upgrade(const std::string& what, std::vector<std::string> parts) {
    return state_.Handle({"admin"}, {FrameKind::kCommand, {{"command", "upgrade"}, {"what", what}}, std::move(parts)},
                         0);
  }
  RunnerInfo Runner(const std::string& label) const {
    for (const RunnerInfo& runner : state_.Status(0).runners) {
      if (runner.label == label) return runner;
    }
    return {};
  }
  // The program that the tracker's heartbeat asks the runner to fetch.
  std::string WantedOf(const std::string& id) {
    const Sent sent = RunnerBeat(id, "", 0);
    const Frame* heartbeat = Find(sent, id, FrameKind::kHeartbeat);
    return heartbeat != nullptr && heartbeat->header.contains("upgrade") ? HeaderText(heartbeat->header, "upgrade")
                                                                         : "";
  }

  const std::string sha256_ = Sha256Hex("the file");
};

TEST_F(TrackerUpgradeTest, RunnersFetchTheProgramThatTheyAreToBecome) {
  Say({"1"}, FrameKind::kHello, HelloOf("1", "old"));
  Say({"2"}, FrameKind::kHello, HelloOf("2", "old", false));
  const Sent sent = Upgrade("k", {"the file", "its signature"});
  ASSERT_NE(Find(sent, "admin", FrameKind::kStatus), nullptr);
  EXPECT_EQ(HeaderText(Find(sent, "1", FrameKind::kHeartbeat)->header, "upgrade"), sha256_);
  EXPECT_EQ(WantedOf("1"), sha256_);
  EXPECT_EQ(WantedOf("2"), "");
  EXPECT_NE(Runner("2").not_upgraded.find("--upgrade-key"), std::string::npos);
  const Sent blob = Say({"1"}, FrameKind::kNeed, {{"runner", "1"}, {"sha256", sha256_}});
  ASSERT_NE(Find(blob, "1", FrameKind::kBlob), nullptr);
  EXPECT_EQ(Find(blob, "1", FrameKind::kBlob)->parts, (std::vector<std::string>{"the file", "its signature"}));
  // No other runner may fetch it, and no other program is sent.
  EXPECT_EQ(CodeOf(Say({"2"}, FrameKind::kNeed, {{"runner", "1"}, {"sha256", sha256_}}), "2"), "not_allowed");
  EXPECT_EQ(CodeOf(Say({"2"}, FrameKind::kNeed, {{"runner", "2"}, {"sha256", sha256_}}), "2"), "no_program");
  EXPECT_EQ(CodeOf(Say({"1"}, FrameKind::kNeed, {{"runner", "1"}, {"sha256", "other"}}), "1"), "no_program");
}

TEST_F(TrackerUpgradeTest, EndsWhenTheRunnerHasSaidWhatBecameOfIt) {
  Say({"1"}, FrameKind::kHello, HelloOf("1", "old"));
  Upgrade("1", {"the file", "its signature"});
  Json hello = HelloOf("1", "old");
  hello["upgrade"] = {{"sha256", "another one"}, {"why", "no"}};
  Say({"1"}, FrameKind::kHello, hello);
  EXPECT_EQ(WantedOf("1"), sha256_) << "it spoke of another program";
  hello["upgrade"] = {{"sha256", sha256_}, {"why", "its trial failed"}};
  Say({"1"}, FrameKind::kHello, hello);
  EXPECT_EQ(WantedOf("1"), "");
  EXPECT_EQ(Runner("1").not_upgraded, "its trial failed");
  // The second request succeeds: the runner leaves, and returns as another runner.
  Upgrade("1", {"the file", "its signature"});
  EXPECT_EQ(Runner("1").not_upgraded, "");
  EXPECT_EQ(StatusFromJson(StatusToJson(state_.Status(0))).runners.at(0).wanted, sha256_);
  Say({"1"}, FrameKind::kBye, {{"runner", "1"}});
  Json as_new = HelloOf("1", sha256_);
  as_new["runner"] = "new";
  Say({"1"}, FrameKind::kHello, as_new);
  EXPECT_EQ(StatusFromJson(StatusToJson(state_.Status(0))).runners.at(0).program, sha256_);
  Upgrade("1", {"the file", "its signature"});
  EXPECT_EQ(Runner("1").wanted, "") << "it is that program already";
}

TEST_F(TrackerUpgradeTest, KeepsOnlySoMuch) {
  Say({"1"}, FrameKind::kHello, HelloOf("1", "old"));
  EXPECT_THROW(Upgrade("1", {"a file alone"}), Error);
  EXPECT_EQ(CodeOf(Upgrade("1", {std::string(ProgramStore::kMostFileBytes + 1, 'x'), "s"}), "admin"), "too_big");
  EXPECT_EQ(CodeOf(Upgrade("1", {"f", std::string(ProgramStore::kMostSignatureBytes + 1, 'x')}), "admin"), "too_big");
  ProgramStore store;
  const std::string first = store.Put({"0", "s"});
  for (int i = 1; i <= static_cast<int>(ProgramStore::kMostPrograms); ++i) {
    EXPECT_NE(store.Find(first), nullptr);
    store.Put({std::to_string(i), "s"});
  }
  EXPECT_EQ(store.Find(first), nullptr);
}

}  // namespace
}  // namespace hone
