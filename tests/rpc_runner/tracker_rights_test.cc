// The messages that each sender may send, and their recipients.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/rpc_runner/tracker_state_fixture.h"

namespace hone {
namespace {

TEST_F(TrackerStateTest, LetsEachRoleSayWhatItMay) {
  const auto as = [](Role role) { return Sender{"somebody", static_cast<uint8_t>(role)}; };
  const Json request = {{"client", "c"}, {"label", "t"}, {"key", "k"}};
  const Json heartbeat = {{"client", "c"}, {"lease", kLease}};
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
              {FrameKind::kCommand, command("upgrade"), Role::kRunner},
              {FrameKind::kLeaseRequest, request, Role::kTuner},
              {FrameKind::kHeartbeat, heartbeat, Role::kTuner},
              {FrameKind::kRelease, release, Role::kTuner},
              {FrameKind::kCommand, command("hold"), Role::kTuner},
              {FrameKind::kCommand, command("unhold"), Role::kTuner}};
  for (const auto& row : rows) {
    for (const Role role : {Role::kViewer, Role::kTuner, Role::kRunner, Role::kAdmin}) {
      const std::string code = CodeOf(Say({"p", as(role)}, row.kind, row.header), "p");
      const bool orders = row.kind == FrameKind::kCommand && row.role == Role::kRunner;
      EXPECT_EQ(code == "not_allowed", role != row.role && !(orders && role == Role::kAdmin))
          << static_cast<int>(row.kind) << " " << code;
    }
  }
  for (const Role role : {Role::kViewer, Role::kTuner, Role::kRunner, Role::kAdmin}) {
    EXPECT_NE(Find(Say({"p", as(role)}, FrameKind::kStatusQuery, Json::object()), "p", FrameKind::kStatus), nullptr);
  }
  EXPECT_EQ(CodeOf(Say({"p", {"nobody", 0}}, FrameKind::kStatusQuery, Json::object()), "p"), "not_allowed");
}

// A board whose key was stolen can neither take other devices out of service nor replace their programs.
TEST_F(TrackerStateTest, ARunnersKeyOrdersItsOwnDevicesAlone) {
  const Sender board{"board", 4}, other{"other", 4}, all{"other", 7}, admin{"root", 8};
  Say({"1", board}, FrameKind::kHello, HelloHeader("1"));
  Say({"2", other}, FrameKind::kHello, HelloHeader("2"));
  const auto answer_to = [&](const Sender& sender, const char* command, const char* what) {
    return CodeOf(Say({"p", sender}, FrameKind::kCommand, {{"command", command}, {"what", what}}), "p");
  };
  for (const char* command : {"drain", "undrain", "upgrade"}) {
    EXPECT_EQ(answer_to(other, command, "1"), "not_allowed") << command;
    EXPECT_EQ(answer_to(all, command, "1"), "not_allowed") << command;
    EXPECT_EQ(answer_to(other, command, "k"), "not_allowed") << command << " of both";
    EXPECT_FALSE(state_.Status(0).runners.at(0).drained);
  }
  EXPECT_EQ(answer_to(board, "drain", "1"), "");
  EXPECT_TRUE(state_.Status(0).runners.at(0).drained);
  EXPECT_FALSE(state_.Status(0).runners.at(1).drained);
  EXPECT_EQ(answer_to(admin, "undrain", "1"), "");
  EXPECT_EQ(answer_to(admin, "drain", "k"), "");
  EXPECT_TRUE(state_.Status(0).runners.at(1).drained);
  EXPECT_EQ(answer_to(admin, "hold", "1"), "not_allowed") << "an admin tunes nothing";
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
  // Names in message headers prove nothing.
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
  const Json heartbeat = {{"client", "c"}, {"lease", kLease}};
  EXPECT_EQ(CodeOf(Say({"x", eve}, FrameKind::kHeartbeat, heartbeat), "x"), "no_lease");
  EXPECT_EQ(RouteOf({"1", runner}, kLease, FrameKind::kResult), "no_lease") << "its client has not come back";
  EXPECT_NE(Find(Say({"c", ann}, FrameKind::kHeartbeat, heartbeat), "c", FrameKind::kHeartbeat), nullptr);
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

}  // namespace
}  // namespace hone
