#include "rpc_runner/remote/tuner_leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

constexpr size_t kMostReported = 1024;
constexpr size_t kMostExcluded = 16;  // docs/reference/protocol.md's `without`

constexpr size_t kMostShownRunners = 3;
constexpr int64_t kRepeatNoticeNs = 30'000'000'000, kSecondNs = 1'000'000'000;
constexpr const char* kTime = "for_ns";

std::string SpanText(uint64_t ns) {
  const uint64_t seconds = (ns + kSecondNs - 1) / kSecondNs;
  if (seconds < 120) return fmt::format("{} s", seconds);
  return seconds < 7200 ? fmt::format("{} min", seconds / 60) : fmt::format("{} h", seconds / 3600);
}

Json WithoutTimes(Json busy) {
  for (Json& runner : busy) runner.erase(kTime);
  return busy;
}

}  // namespace

LeaseRequester::LeaseRequester(const RemoteRunnerOptions& options, const std::string& tuner)
    : options_(options), tuner_(tuner), client_(tuner) {}

std::optional<Frame> LeaseRequester::NextRequest(int64_t now_ns) {
  if (now_ns - requested_ns_ < kHeartbeatNs) return std::nullopt;
  requested_ns_ = now_ns;
  Json header = {{"client", client_}, {"label", options_.client}, {"key", options_.key},
                 {"tuner", tuner_},   {"user", options_.user},    {"priority", options_.priority}};
  if (!kind_.is_null()) header["machine"] = kind_;
  if (!excluded_.empty()) header["without"] = excluded_;
  return Frame{FrameKind::kLeaseRequest, std::move(header), {}};
}

bool LeaseRequester::IsAnswer(const Json& lease) const {
  return !lease.contains("client") || HeaderText(lease, "client") == client_;
}

std::string LeaseRequester::Difference(const Json& kind) const {
  return kind_.is_null() ? "" : KindDifference(kind, kind_);
}

void LeaseRequester::OnGranted(const Json& kind) {
  if (kind_.is_null()) kind_ = kind;
  client_ = NewRandomName();
  requested_ns_ = 0;
}

void LeaseRequester::OnRefused(int64_t now_ns) {
  client_ = NewRandomName();
  requested_ns_ = now_ns;
}

void LeaseRequester::Exclude(const std::string& runner) {
  if (!runner.empty() && excluded_.size() < kMostExcluded) excluded_.insert(runner);
}

void LeaseRequester::ReportUnlike(const Json& runners) {
  for (const Json& runner : runners) {
    const bool is_new = reported_.size() < kMostReported && reported_.insert(HeaderText(runner, "runner")).second;
    if (!is_new) continue;
    const std::string why = HeaderText(runner, "why");
    // Another device key helps where machines differ, and not where one is ill.
    const bool is_ill = why.starts_with("quarantined") || why.starts_with("probation");
    LogError("hone", fmt::format("the runner {} is left out: {}{}", HeaderText(runner, "label"), why,
                                 is_ill ? "" : "; a device key for each kind of machine is right"));
  }
}

void HeldLease::ConnectDirectly(SocketContext& context, const std::string& address) {
  try {
    direct = std::make_unique<Socket>(context, Socket::Kind::kDealer);
    direct->Connect(address);
  } catch (const Error& error) {
    direct.reset();
    LogError("remote runner", error.what());
  }
}

bool HeldLease::IsDirectOpen() const { return direct && MonotonicNs() - direct_heard_ns <= kLostNs; }

bool HeldLease::Send(Frame frame, Socket& tracker) {
  frame.lease = lease;
  // Encoding throws if the frame is beyond the protocol's limits; a failed SendBytes is tried again.
  std::string bytes = EncodeFrame(frame);
  return (IsDirectOpen() ? *direct : tracker).SendBytes("", bytes) == Socket::Sent::kYes;
}

void HeldLease::SendHeartbeat(Frame heartbeat, Socket& tracker) {
  if (direct && !IsDirectOpen()) {
    heartbeat.lease = lease;
    direct->Send("", heartbeat);
  }
  Send(std::move(heartbeat), tracker);
}

HeldLease* FindWorker(std::list<HeldLease>& leases, WorkerId worker) {
  const auto it = std::ranges::find(leases, worker, &HeldLease::worker);
  return it == leases.end() ? nullptr : &*it;
}

HeldLease* FindLease(std::list<HeldLease>& leases, const std::string& lease) {
  const auto it = std::ranges::find(leases, lease, &HeldLease::lease);
  return it == leases.end() ? nullptr : &*it;
}

std::string BusyText(const Json& busy) {
  std::string text;
  for (size_t i = 0; i < busy.size() && i < kMostShownRunners; ++i) {
    text += fmt::format("{}{} is {}", i == 0 ? "" : ", ", HeaderText(busy[i], "label"), HeaderText(busy[i], "why"));
    if (busy[i].contains(kTime)) text += " for " + SpanText(HeaderNumber(busy[i], kTime));
  }
  if (busy.size() > kMostShownRunners)
    text += fmt::format(" and {} more are not free", busy.size() - kMostShownRunners);
  return text;
}

std::string WaitingNotice::Next(const Json& busy, int64_t now_ns) {
  Json without = WithoutTimes(busy);
  if (without == reported_ && now_ns - reported_ns_ < kRepeatNoticeNs) return "";
  reported_ = std::move(without);
  reported_ns_ = now_ns;
  return BusyText(busy);
}

}  // namespace hone
