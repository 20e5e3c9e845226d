#include "rpc_runner/remote/lease_asker.h"

#include <fmt/format.h>

#include <utility>

#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/process/complain.h"
#include "rpc_runner/tracker/lease_times.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr size_t kMostToldOf = 1024;
constexpr size_t kMostWithout = 16;  // docs/reference/protocol.md's `without`

}  // namespace

LeaseAsker::LeaseAsker(const RemoteRunnerOptions& options, const std::string& tuner)
    : options_(options), tuner_(tuner), client_(tuner) {}

std::optional<Frame> LeaseAsker::NextRequest(int64_t now_ns) {
  if (now_ns - asked_ns_ < kBeatNs) return std::nullopt;
  asked_ns_ = now_ns;
  Json header = {{"client", client_}, {"label", options_.client}, {"key", options_.key},
                 {"tuner", tuner_},   {"user", options_.user},    {"priority", options_.priority}};
  if (!kind_.is_null()) header["machine"] = kind_;
  if (!without_.empty()) header["without"] = without_;
  return Frame{FrameKind::kLeaseRequest, std::move(header), {}};
}

bool LeaseAsker::IsAnswer(const Json& lease) const {
  return !lease.contains("client") || HeaderText(lease, "client") == client_;
}

std::string LeaseAsker::Difference(const Json& kind) const {
  return kind_.is_null() ? "" : KindDifference(kind, kind_);
}

void LeaseAsker::Took(const Json& kind) {
  if (kind_.is_null()) kind_ = kind;
  client_ = NewRandomName();
  asked_ns_ = 0;
}

void LeaseAsker::OnRefused(int64_t now_ns) {
  client_ = NewRandomName();
  asked_ns_ = now_ns;
}

void LeaseAsker::LeaveOut(const std::string& runner) {
  if (!runner.empty() && without_.size() < kMostWithout) without_.insert(runner);
}

void LeaseAsker::TellOfUnlike(const Json& runners) {
  for (const Json& runner : runners) {
    const bool is_new = told_of_.size() < kMostToldOf && told_of_.insert(HeaderText(runner, "runner")).second;
    if (!is_new) continue;
    Complain("hone", fmt::format("the runner {} is left out: {}; a key for each kind of machine is right",
                                 HeaderText(runner, "label"), HeaderText(runner, "why")));
  }
}

}  // namespace hone
