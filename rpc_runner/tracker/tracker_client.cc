#include "rpc_runner/tracker/tracker_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "rpc_runner/tracker/bounded_fields.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr uint64_t kMostPriority = 255;

}  // namespace

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

}  // namespace hone
