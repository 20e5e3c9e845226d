#include "rpc_runner/remote/lease_requester.h"

#include <fmt/format.h>

#include <utility>

#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/process/standard_streams.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr size_t kMostReported = 1024;
constexpr size_t kMostExcluded = 16;  // docs/reference/protocol.md's `without`

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
    LogError("hone", fmt::format("the runner {} is left out: {}; a key for each kind of machine is right",
                                 HeaderText(runner, "label"), HeaderText(runner, "why")));
  }
}

}  // namespace hone
