#include "rpc_runner/tracker/device_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "rpc_runner/tracker/bounded_fields.h"
#include "rpc_runner/tracker/runner_note.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

using Kind = DeviceOrder::Kind;
constexpr std::array<const char*, 5> kCommandNames = {"hold", "unhold", "drain", "undrain", "upgrade"};

void Want(RunnerEntry& runner, const std::string& program) {
  runner.wanted.clear();
  runner.not_upgraded.clear();
  if (runner.program == program) return;
  runner.upgrades ? runner.wanted = program
                  : runner.not_upgraded = "it takes no upgrades: hone-runner --upgrade-key lets it";
}

}  // namespace

DeviceOrder ReadOrder(const Caller& caller, const Json& header) {
  const std::string command = HeaderText(header, "command");
  const auto name = std::find(kCommandNames.begin(), kCommandNames.end(), command);
  if (name == kCommandNames.end()) {
    throw Error(ExitCode::kBadData, "bad frame: field \"command\" should be hold, unhold, drain, undrain or upgrade");
  }
  DeviceOrder order;
  order.kind = static_cast<Kind>(name - kCommandNames.begin());
  order.what = BoundedText(header, "what");
  order.user = UserOf(caller, header);
  order.owner = caller.sender.name;
  order.is_admin = caller.sender.May(Role::kAdmin);
  if (order.is_hold() && order.user.empty()) {
    throw Error(ExitCode::kBadData, "bad frame: field \"user\" should be a text");
  }
  if (order.kind == Kind::kHold) {
    order.for_ns = static_cast<int64_t>(std::min<uint64_t>(HeaderNumber(header, "for_ns"), kMostHoldNs));
  }
  return order;
}

bool IsMeant(const DeviceOrder& order, const RunnerEntry& runner) {
  return runner.key == order.what || runner.label == order.what;
}

bool MayOrder(const DeviceOrder& order, const RunnerEntry& runner) {
  return order.is_hold() || order.is_admin || order.owner == runner.owner;
}

std::string WhyNot(const DeviceOrder& order, const RunnerEntry& runner) {
  if (!order.is_hold() || runner.held_by.empty() || runner.held_by == order.user) return "";
  return fmt::format("{} holds {}", runner.held_by, runner.label);
}

void Obey(const DeviceOrder& order, int64_t now_ns, RunnerEntry* runner) {
  switch (order.kind) {
    case Kind::kHold:
    case Kind::kUnhold:
      runner->held_by = order.kind == Kind::kHold ? order.user : "";
      runner->held_until_ns = now_ns + order.for_ns;
      break;
    case Kind::kDrain:
    case Kind::kUndrain:
      runner->drained = order.kind == Kind::kDrain;
      break;
    case Kind::kUpgrade:
      Want(*runner, order.program);
      break;
  }
}

}  // namespace hone
