// A tracker's state, with runners and clients that send the messages of the tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/tracker/tracker_state.h"

namespace hone {

inline constexpr int64_t kSecond = 1'000'000'000;
using Sent = std::vector<TrackerState::Outgoing>;

inline const Frame* Find(const Sent& sent, const std::string& peer, FrameKind kind) {
  for (const auto& [to, frame] : sent) {
    if (to == peer && frame.kind == kind) return &frame;
  }
  return nullptr;
}

inline std::string CodeOf(const Sent& sent, const std::string& peer) {
  const Frame* error = Find(sent, peer, FrameKind::kError);
  return error == nullptr ? "" : HeaderText(error->header, "code");
}

inline const std::string kLease(32, 'a');

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
  // The hello of a runner that watches its device.
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
  // Makes a lease, from request to grant; returns its id.
  std::string Grant(const std::string& client, const std::string& runner, int64_t now = 0) {
    const Sent sent = Request(client, now);
    const Frame* offer = Find(sent, runner, FrameKind::kLeaseOffer);
    if (offer == nullptr) return "";
    const std::string lease = HeaderText(offer->header, "lease");
    const Sent taken =
        state_.Handle({runner}, {FrameKind::kLeaseTaken, {{"runner", runner}, {"lease", lease}}, {}}, now);
    return Find(taken, client, FrameKind::kLease) != nullptr ? lease : "";
  }
  // The hello of a runner with that CPU.
  Sent HelloFrom(const std::string& id, const std::string& cpu, int64_t golden_ns = 0, const std::string& boot = "") {
    Environment environment;
    environment.golden_kernel = "1-avx2";
    environment.golden_ns = golden_ns;
    environment.cpu_model = "AMD EPYC";
    environment.cpu_id = cpu;
    Json header = {{"runner", id},
                   {"key", "k"},
                   {"label", "host" + id},
                   {"address", "tcp://127.0.0.1:" + id},
                   {"environment", ToJson(environment)},
                   {"lease", ""},
                   {"jobs_done", 0}};
    if (!boot.empty()) header["boot"] = boot;
    return state_.Handle({id}, {FrameKind::kHello, std::move(header), {}}, 0);
  }
  // Requests one more lease for the tuner, as another client; returns the tracker's frames, with the offer taken.
  Sent AskMore(const std::string& tuner, const std::string& client, const Json& machine = nullptr, int64_t now = 0) {
    Json header = {{"client", client}, {"label", "t"}, {"key", "k"}, {"tuner", tuner}};
    if (!machine.is_null()) header["machine"] = machine;
    return TakeOffers(state_.Handle({tuner}, {FrameKind::kLeaseRequest, header, {}}, now), now);
  }
  // Runners accept all offers.
  Sent TakeOffers(Sent sent, int64_t now = 0) {
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i].frame.kind != FrameKind::kLeaseOffer) continue;
      const std::string runner = sent[i].peer;
      const Json taken = {{"runner", runner}, {"lease", sent[i].frame.header["lease"]}};
      for (auto& more : state_.Handle({runner}, {FrameKind::kLeaseTaken, taken, {}}, now)) sent.push_back(more);
    }
    return sent;
  }
  // Gives a tuner `count` leases; returns their ids.
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
    const Frame* heartbeat = Find(sent, tuner, FrameKind::kHeartbeat);
    return heartbeat != nullptr && heartbeat->header.contains("yield") && heartbeat->header["yield"] == true;
  }
  // The answers to a message from a sender with a key.
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

}  // namespace hone
