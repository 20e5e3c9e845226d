#include "rpc_runner/tracker/tracker_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "rpc_runner/machine/machine_kind.h"

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
  // Of a runner with that CPU.
  Sent HelloFrom(const std::string& id, const std::string& cpu) {
    Environment environment;
    environment.cpu_model = "AMD EPYC";
    environment.cpu_id = cpu;
    return state_.Handle(id,
                         {FrameKind::kHello,
                          {{"runner", id},
                           {"key", "k"},
                           {"label", "host" + id},
                           {"address", "tcp://127.0.0.1:" + id},
                           {"environment", ToJson(environment)},
                           {"lease", ""},
                           {"jobs_done", 0}},
                          {}},
                         0);
  }
  // Asks for one more, under a new name; what the tracker sends and whether a runner was given.
  Sent AskMore(const std::string& tuner, const std::string& client, const Json& machine = nullptr, int64_t now = 0) {
    Json header = {{"client", client}, {"label", "t"}, {"key", "k"}, {"tuner", tuner}};
    if (!machine.is_null()) header["machine"] = machine;
    return TakeOffers(state_.Handle(tuner, {FrameKind::kLeaseRequest, header, {}}, now), now);
  }
  // Runners take what they are offered.
  Sent TakeOffers(Sent sent, int64_t now = 0) {
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].frame.kind != FrameKind::kLeaseOffer) continue;
      const std::string runner = sent[i].peer;
      const Json taken = {{"runner", runner}, {"lease", sent[i].frame.header["lease"]}};
      for (auto& more : state_.Handle(runner, {FrameKind::kLeaseTaken, taken, {}}, now)) sent.push_back(more);
    }
    return sent;
  }
  // A tuner with `count` leases; their names.
  std::vector<std::string> Take(const std::string& tuner, int count) {
    std::vector<std::string> leases;
    for (int i = 0; i < count; ++i) {
      const Sent sent = AskMore(tuner, tuner + std::to_string(i));
      if (const Frame* lease = Find(sent, tuner, FrameKind::kLease))
        leases.push_back(HeaderText(lease->header, "lease"));
    }
    return leases;
  }
  bool IsAskedToYield(const std::string& tuner, const std::string& client, const std::string& lease) {
    const Sent sent = state_.Handle(
        tuner, {FrameKind::kHeartbeat, {{"client", client}, {"lease", lease}, {"tuner", tuner}, {"label", "t"}}, {}},
        0);
    const Frame* beat = Find(sent, tuner, FrameKind::kHeartbeat);
    return beat != nullptr && beat->header.contains("yield") && beat->header["yield"] == true;
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

TEST_F(TrackerStateTest, AsksATunerToGiveBackUntilTheOtherHasAsMany) {
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
    const Sent sent = state_.Handle("a", {FrameKind::kRelease, {{"client", back}, {"lease", leases[0]}}, {}}, 0);
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
  state_.Handle("a", {FrameKind::kRelease, {{"client", "a1"}, {"lease", leases[1]}}, {}}, 0);
  EXPECT_TRUE(ClientBeat("old", "none", 0).empty());
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

TEST_F(TrackerStateTest, AsksNobodyForARunnerThatDoesNotFit) {
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
  for (const QueueInfo& queue : state_.Status().queues) EXPECT_EQ(queue.waiting, 0);
  AskMore("b", "b0");
  EXPECT_EQ(state_.Status().queues.at(0).waiting, 1);
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
