#include "rpc_runner/tracker/tracker_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/json/json_fields.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr size_t kMostJsonBytes = 16 << 10;

constexpr uint64_t kMostPriority = 255;

// Only checks the role. TrackerState, which knows the devices, checks which of them the command may mean:
// docs/reference/protocol.md, "Holding and draining".
bool MayCommand(const Sender& sender, const std::string& command) {
  const bool is_hold = command == "hold" || command == "unhold";
  return is_hold ? sender.May(Role::kTuner) : sender.May(Role::kRunner) || sender.May(Role::kAdmin);
}

// The heartbeats of runners and of tuners differ by their headers.
Role RoleFor(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kHello:
    case FrameKind::kBye:
    case FrameKind::kLeaseTaken:
    case FrameKind::kNeed:
      return Role::kRunner;
    case FrameKind::kHeartbeat:
      return frame.header.contains("runner") ? Role::kRunner : Role::kTuner;
    default:
      return Role::kTuner;
  }
}

}  // namespace

std::string BoundedText(const Json& header, const char* name, size_t most) {
  std::string text = HeaderText(header, name);
  if (text.size() > most)
    throw LimitExceeded{fmt::format("\"{}\" has {} bytes, at most {} are kept", name, text.size(), most)};
  return text;
}

std::string BoundedTextOr(const Json& header, const char* name, const std::string& absent, size_t most) {
  return header.contains(name) ? BoundedText(header, name, most) : absent;
}

const Json& BoundedObject(const Json& header, const char* name) {
  const Json& object = HeaderObject(header, name);
  const size_t bytes = DumpJson(object).size();
  if (bytes <= kMostJsonBytes) return object;
  throw LimitExceeded{fmt::format("\"{}\" has {} bytes, at most {} are kept", name, bytes, kMostJsonBytes)};
}

std::set<std::string> BoundedNames(const Json& header, const char* name) {
  const std::vector<std::string> names = TextsField(header, name);
  const auto is_long = [](const std::string& text) { return text.size() > kMostTextBytes; };
  if (names.size() > kMostNamed || std::any_of(names.begin(), names.end(), is_long)) {
    throw LimitExceeded{fmt::format("\"{}\" names more than {} runners, or longer than any", name, kMostNamed)};
  }
  return {names.begin(), names.end()};
}

std::string UserOf(const Caller& caller, const Json& header) {
  const std::string said = BoundedTextOr(header, "user", "");
  return caller.sender.name.empty() ? said : caller.sender.name;
}

TrackerClient ClientOf(const Caller& caller, const Json& header, int64_t now_ns) {
  TrackerClient client;
  client.id = BoundedText(header, "client");
  client.peer = caller.peer;
  client.owner = caller.sender.name;
  client.label = BoundedTextOr(header, "label", "");
  client.key = BoundedTextOr(header, "key", "");
  client.tuner = BoundedTextOr(header, "tuner", client.id);
  client.user = UserOf(caller, header);
  if (header.contains("priority")) {
    client.priority = static_cast<int>(std::min(HeaderNumber(header, "priority"), kMostPriority));
  }
  if (header.contains("machine")) client.machine = BoundedObject(header, "machine");
  if (header.contains("without")) client.without = BoundedNames(header, "without");
  client.heard_ns = now_ns;
  return client;
}

std::string NameForPeople(const TrackerClient& client) {
  if (client.user.empty()) return client.label;
  return client.label.empty() ? client.user : fmt::format("{} ({})", client.user, client.label);
}

bool MaySend(const Sender& sender, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kHello:
    case FrameKind::kBye:
    case FrameKind::kLeaseTaken:
    case FrameKind::kHeartbeat:
    case FrameKind::kLeaseRequest:
    case FrameKind::kRelease:
    case FrameKind::kNeed:
      return sender.May(RoleFor(frame));
    case FrameKind::kCommand:
      return MayCommand(sender, HeaderText(frame.header, "command"));
    case FrameKind::kStatusQuery:
      return sender.roles != 0;
    default:
      return true;
  }
}

bool MaySendToRunner(const Sender& sender, FrameKind kind) {
  return sender.May(Role::kTuner) &&
         (kind == FrameKind::kHeartbeat || kind == FrameKind::kJob || kind == FrameKind::kBlob);
}

bool MaySendToClient(const Sender& sender, FrameKind kind) {
  return sender.May(Role::kRunner) &&
         (kind == FrameKind::kHeartbeat || kind == FrameKind::kNeed || kind == FrameKind::kResult ||
          kind == FrameKind::kError || kind == FrameKind::kLeaseEnd);
}

}  // namespace hone
