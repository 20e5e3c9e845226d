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

std::string CodeOf(const Sent& sent, const std::string& peer) {
  const Frame* error = Find(sent, peer, FrameKind::kError);
  return error == nullptr ? "" : HeaderText(error->header, "code");
}

const std::string kLease(32, 'a');

class TrackerStateTest : public testing::Test {
 protected:
  Sent Hello(const std::string& id, const std::string& lease = "", int64_t now = 0) {
    return state_.Handle({id},
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
  // Of a runner that watches its device.
  Sent HelloOfHealth(const std::string& id, const std::string& health, const std::string& why, int64_t now) {
    const Json roofs = Json::array({{{"cores", ""}, {"threads", 1}, {"gflops", 100.5}, {"read_gbps", 20}}});
    return state_.Handle({id},
                         {FrameKind::kHello,
                          {{"runner", id},
                           {"key", "k"},
                           {"label", id},
                           {"environment", ToJson(Environment())},
                           {"lease", ""},
                           {"jobs_done", 0},
                           {"health", {{"state", health}, {"why", why}, {"tells", 0.025}}},
                           {"roofs", roofs}},
                          {}},
                         now);
  }
  Sent RunnerBeat(const std::string& id, const std::string& lease, int64_t now) {
    return state_.Handle({id}, {FrameKind::kHeartbeat, {{"runner", id}, {"lease", lease}, {"jobs_done", 4}}, {}}, now);
  }
  Sent Request(const std::string& client, int64_t now = 0) {
    return state_.Handle({client}, {FrameKind::kLeaseRequest, {{"client", client}, {"label", "t"}, {"key", "k"}}, {}},
                         now);
  }
  Sent ClientBeat(const std::string& client, const std::string& lease, int64_t now) {
    return state_.Handle({client}, {FrameKind::kHeartbeat, {{"client", client}, {"lease", lease}}, {}}, now);
  }
  // A lease from request to grant; its name.
  std::string Grant(const std::string& client, const std::string& runner, int64_t now = 0) {
    const Sent sent = Request(client, now);
    const Frame* offer = Find(sent, runner, FrameKind::kLeaseOffer);
    if (offer == nullptr) return "";
    const std::string lease = HeaderText(offer->header, "lease");
    const Sent taken =
        state_.Handle({runner}, {FrameKind::kLeaseTaken, {{"runner", runner}, {"lease", lease}}, {}}, now);
    return Find(taken, client, FrameKind::kLease) != nullptr ? lease : "";
  }
  // Of a runner with that CPU.
  Sent HelloFrom(const std::string& id, const std::string& cpu) {
    Environment environment;
    environment.cpu_model = "AMD EPYC";
    environment.cpu_id = cpu;
    return state_.Handle({id},
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
    return TakeOffers(state_.Handle({tuner}, {FrameKind::kLeaseRequest, header, {}}, now), now);
  }
  // Runners take what they are offered.
  Sent TakeOffers(Sent sent, int64_t now = 0) {
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].frame.kind != FrameKind::kLeaseOffer) continue;
      const std::string runner = sent[i].peer;
      const Json taken = {{"runner", runner}, {"lease", sent[i].frame.header["lease"]}};
      for (auto& more : state_.Handle({runner}, {FrameKind::kLeaseTaken, taken, {}}, now)) sent.push_back(more);
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
        {tuner}, {FrameKind::kHeartbeat, {{"client", client}, {"lease", lease}, {"tuner", tuner}, {"label", "t"}}, {}},
        0);
    const Frame* beat = Find(sent, tuner, FrameKind::kHeartbeat);
    return beat != nullptr && beat->header.contains("yield") && beat->header["yield"] == true;
  }
  // What is said by a sender with a key.
  Sent Say(const Caller& caller, FrameKind kind, Json header, int64_t now = 0) {
    return state_.Handle(caller, {kind, std::move(header), {}}, now);
  }
  static Json HelloHeader(const std::string& id, const std::string& lease = "", const std::string& holder = "") {
    return {{"runner", id},   {"key", "k"},       {"label", id},   {"environment", ToJson(Environment())},
            {"lease", lease}, {"holder", holder}, {"jobs_done", 0}};
  }
  Sent Command(const std::string& command, const std::string& what, const std::string& user, int64_t now = 0) {
    return Say({"admin"}, FrameKind::kCommand,
               {{"command", command}, {"what", what}, {"user", user}, {"for_ns", 600 * kSecond}}, now);
  }
  Sent Ask(const std::string& client, int priority, const std::string& user = "", int64_t now = 0) {
    return TakeOffers(
        Say({client}, FrameKind::kLeaseRequest,
            {{"client", client}, {"label", "t"}, {"key", "k"}, {"user", user}, {"priority", priority}}, now),
        now);
  }
  std::string RouteOf(const Caller& caller, const std::string& lease, FrameKind kind) {
    Frame answer;
    const auto to = state_.Route(caller, {kind, lease}, &answer);
    return to ? *to : HeaderText(answer.header, "code");
  }
  std::string StateOfFirst() const { return state_.Status(0).runners.at(0).state; }

  TrackerState state_;
};

TEST_F(TrackerStateTest, TellsOfLeasesTakenAndOver) {
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

TEST_F(TrackerStateTest, TellsOfTheLeaseOfARunnerThatIsLost) {
  Hello("1");
  Grant("c", "1");
  state_.TakeLeaseChanges();
  state_.Tick(100 * kSecond);
  ASSERT_EQ(state_.TakeLeaseChanges().size(), 1U);
}

TEST_F(TrackerStateTest, GivesNobodyARunnerThatIsQuarantined) {
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
  // Who waits gets it when it is free again.
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
  for (const QueueInfo& queue : state_.Status(0).queues) EXPECT_EQ(queue.waiting, 0);
  AskMore("b", "b0");
  EXPECT_EQ(state_.Status(0).queues.at(0).waiting, 1);
}

TEST_F(TrackerStateTest, KeepsNoEnvironmentThatIsTooBig) {
  Json big = ToJson(Environment());
  big["kernel"] = std::string(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) {
    Json header = HelloHeader(std::to_string(i));
    header["environment"] = big;
    EXPECT_EQ(CodeOf(Say({"p"}, FrameKind::kHello, header), "p"), "too_big");
  }
  Json header = HelloHeader("long");
  header["label"] = std::string(129, 'l');
  EXPECT_EQ(CodeOf(Say({"p"}, FrameKind::kHello, header), "p"), "too_big");
  EXPECT_TRUE(state_.Status(0).runners.empty());
}

TEST_F(TrackerStateTest, KnowsOnlySoManyRunnersAndForgetsLostOnesFirst) {
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

TEST_F(TrackerStateTest, LetsEachRoleSayWhatItMay) {
  const auto as = [](Role role) { return Sender{"somebody", static_cast<uint8_t>(role)}; };
  const Json request = {{"client", "c"}, {"label", "t"}, {"key", "k"}};
  const Json beat = {{"client", "c"}, {"lease", kLease}};
  const Json runner_beat = {{"runner", "1"}, {"lease", ""}, {"jobs_done", 0}};
  const Json release = {{"client", "c"}, {"lease", ""}};
  const auto command = [](const char* name) -> Json { return {{"command", name}, {"what", "k"}, {"for_ns", 1}}; };
  const struct {
    FrameKind kind;
    Json header;
    Role role;
  } rows[] = {{FrameKind::kHello, HelloHeader("1"), Role::kRunner},
              {FrameKind::kHeartbeat, runner_beat, Role::kRunner},
              {FrameKind::kLeaseTaken, {{"runner", "1"}, {"lease", "x"}}, Role::kRunner},
              {FrameKind::kBye, {{"runner", "1"}}, Role::kRunner},
              {FrameKind::kCommand, command("drain"), Role::kRunner},
              {FrameKind::kCommand, command("undrain"), Role::kRunner},
              {FrameKind::kLeaseRequest, request, Role::kTuner},
              {FrameKind::kHeartbeat, beat, Role::kTuner},
              {FrameKind::kRelease, release, Role::kTuner},
              {FrameKind::kCommand, command("hold"), Role::kTuner},
              {FrameKind::kCommand, command("unhold"), Role::kTuner}};
  for (const auto& row : rows) {
    for (const Role role : {Role::kViewer, Role::kTuner, Role::kRunner}) {
      const std::string code = CodeOf(Say({"p", as(role)}, row.kind, row.header), "p");
      EXPECT_EQ(code == "not_allowed", role != row.role) << static_cast<int>(row.kind) << " " << code;
    }
  }
  for (const Role role : {Role::kViewer, Role::kTuner, Role::kRunner}) {
    EXPECT_NE(Find(Say({"p", as(role)}, FrameKind::kStatusQuery, Json::object()), "p", FrameKind::kStatus), nullptr);
  }
  EXPECT_EQ(CodeOf(Say({"p", {"nobody", 0}}, FrameKind::kStatusQuery, Json::object()), "p"), "not_allowed");
}

TEST_F(TrackerStateTest, PassesOnWhatTheEndsOfALeaseSay) {
  Hello("1");
  const std::string lease = Grant("c", "1");
  EXPECT_EQ(RouteOf({"c"}, lease, FrameKind::kJob), "1");
  EXPECT_EQ(RouteOf({"c"}, lease, FrameKind::kBlob), "1");
  EXPECT_EQ(RouteOf({"1"}, lease, FrameKind::kResult), "c");
  EXPECT_EQ(RouteOf({"1"}, lease, FrameKind::kNeed), "c");
  EXPECT_EQ(RouteOf({"c"}, lease, FrameKind::kResult), "not_allowed");
  EXPECT_EQ(RouteOf({"1"}, lease, FrameKind::kJob), "not_allowed");
  EXPECT_EQ(RouteOf({"c"}, lease, FrameKind::kHello), "not_allowed");
  EXPECT_EQ(RouteOf({"stranger"}, lease, FrameKind::kJob), "no_lease");
  EXPECT_EQ(RouteOf({"c"}, kLease, FrameKind::kJob), "no_lease");
  EXPECT_EQ(state_.counts().refused.at("no_lease"), 2);
}

TEST_F(TrackerStateTest, PassesNothingOnForAnotherSenderOnTheSameConnection) {
  const Sender runner{"board", 4}, ann{"ann", 2}, eve{"eve", 6};
  Say({"1", runner}, FrameKind::kHello, HelloHeader("1"));
  Sent sent = Say({"c", ann}, FrameKind::kLeaseRequest, {{"client", "c"}, {"label", "t"}, {"key", "k"}});
  const std::string lease = HeaderText(Find(sent, "1", FrameKind::kLeaseOffer)->header, "lease");
  EXPECT_EQ(HeaderText(Find(sent, "1", FrameKind::kLeaseOffer)->header, "holder"), "ann");
  const Json taken = {{"runner", "1"}, {"lease", lease}};
  EXPECT_EQ(CodeOf(Say({"1", eve}, FrameKind::kLeaseTaken, taken), "1"), "not_allowed");
  Say({"1", runner}, FrameKind::kLeaseTaken, taken);
  EXPECT_EQ(RouteOf({"c", ann}, lease, FrameKind::kJob), "1");
  EXPECT_EQ(RouteOf({"c", eve}, lease, FrameKind::kJob), "no_lease");
  EXPECT_EQ(RouteOf({"1", eve}, lease, FrameKind::kResult), "no_lease");
  // Names in headers prove nothing.
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHello, HelloHeader("1")), "x"), "not_allowed");
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHello, HelloHeader("2", lease)), "x"), "not_allowed");
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHeartbeat, {{"client", "c"}, {"lease", lease}}), "x"), "no_lease");
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHeartbeat, {{"runner", "1"}, {"lease", ""}, {"jobs_done", 1}}), "x"),
            "not_allowed");
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kBye, {{"runner", "1"}}), "x"), "not_allowed");
  Say({"x", eve}, FrameKind::kRelease, {{"client", "c"}, {"lease", lease}});
  EXPECT_EQ(StateOfFirst(), "busy");
  EXPECT_EQ(RouteOf({"c", ann}, lease, FrameKind::kJob), "1");
}

TEST_F(TrackerStateTest, ALeaseThatSurvivesARestartBelongsToItsHolder) {
  const Sender runner{"board", 4}, ann{"ann", 2}, eve{"eve", 2};
  Say({"1", runner}, FrameKind::kHello, HelloHeader("1", kLease, "ann"));
  const Json beat = {{"client", "c"}, {"lease", kLease}};
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHeartbeat, beat), "x"), "no_lease");
  EXPECT_EQ(RouteOf({"1", runner}, kLease, FrameKind::kResult), "no_lease") << "its client has not come back";
  EXPECT_NE(Find(Say({"c", ann}, FrameKind::kHeartbeat, beat), "c", FrameKind::kHeartbeat), nullptr);
  EXPECT_EQ(RouteOf({"1", runner}, kLease, FrameKind::kResult), "c");
  EXPECT_EQ(RouteOf({"c", ann}, kLease, FrameKind::kJob), "1");
}

TEST_F(TrackerStateTest, FollowsAnEndToItsNextConnection) {
  Hello("1");
  const std::string lease = Grant("c", "1");
  EXPECT_EQ(RouteOf({"c'"}, lease, FrameKind::kJob), "no_lease");
  Say({"c'"}, FrameKind::kHeartbeat, {{"client", "c"}, {"lease", lease}});
  EXPECT_EQ(RouteOf({"c'"}, lease, FrameKind::kJob), "1");
  Say({"1'"}, FrameKind::kHeartbeat, {{"runner", "1"}, {"lease", lease}, {"jobs_done", 0}});
  EXPECT_EQ(RouteOf({"c'"}, lease, FrameKind::kJob), "1'");
  EXPECT_EQ(RouteOf({"1"}, lease, FrameKind::kResult), "no_lease") << "the connection before";
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

TEST_F(TrackerStateTest, ALowPriorityAsksNobodyToYield) {
  for (const char* id : {"1", "2", "3"}) Hello(id);
  const auto leases = Take("a", 3);
  Ask("idle", 1);
  EXPECT_FALSE(IsAskedToYield("a", "a0", leases.at(0)));
}

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
