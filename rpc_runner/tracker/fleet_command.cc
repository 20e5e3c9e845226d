#include "rpc_runner/tracker/fleet_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/tracker/runner_hello.h"
#include "rpc_runner/tracker/tracker_client.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

using Kind = FleetCommand::Kind;
constexpr std::array<const char*, 5> kCommandNames = {"hold", "unhold", "drain", "undrain", "upgrade"};

void Want(RunnerEntry& runner, const std::string& program) {
  runner.wanted.clear();
  runner.not_upgraded.clear();
  if (runner.program == program) return;
  runner.upgrades ? runner.wanted = program
                  : runner.not_upgraded = "it takes no upgrades: hone-runner --upgrade-key lets it";
}

}  // namespace

FleetCommand ReadCommand(const Caller& caller, const Json& header) {
  const auto name = std::find(kCommandNames.begin(), kCommandNames.end(), HeaderText(header, "command"));
  if (name == kCommandNames.end()) {
    throw Error(ExitCode::kBadData, "bad frame: field \"command\" should be hold, unhold, drain, undrain or upgrade");
  }
  FleetCommand command;
  command.kind = static_cast<Kind>(name - kCommandNames.begin());
  command.what = BoundedText(header, "what");
  command.user = UserOf(caller, header);
  command.owner = caller.sender.name;
  command.is_admin = caller.sender.May(Role::kAdmin);
  if (command.is_hold() && command.user.empty()) {
    throw Error(ExitCode::kBadData, "bad frame: field \"user\" should be a text");
  }
  if (command.kind == Kind::kHold) {
    command.for_ns = static_cast<int64_t>(std::min<uint64_t>(HeaderNumber(header, "for_ns"), kMostHoldNs));
  }
  return command;
}

bool Concerns(const FleetCommand& command, const RunnerEntry& runner) {
  return runner.key == command.what || runner.label == command.what;
}

bool MayCommand(const FleetCommand& command, const RunnerEntry& runner) {
  return command.is_hold() || command.is_admin || command.owner == runner.owner;
}

std::string WhyRefused(const FleetCommand& command, const RunnerEntry& runner) {
  if (!command.is_hold() || runner.held_by.empty() || runner.held_by == command.user) return "";
  return fmt::format("{} holds {}", runner.held_by, runner.label);
}

void Apply(const FleetCommand& command, int64_t now_ns, RunnerEntry* runner) {
  switch (command.kind) {
    case Kind::kHold:
    case Kind::kUnhold:
      runner->held_by = command.kind == Kind::kHold ? command.user : "";
      runner->held_until_ns = now_ns + command.for_ns;
      break;
    case Kind::kDrain:
    case Kind::kUndrain:
      runner->drained = command.kind == Kind::kDrain;
      break;
    case Kind::kUpgrade:
      Want(*runner, command.program);
      break;
  }
}

std::string ProgramStore::Put(const std::vector<std::string>& parts) {
  if (parts.size() != 2) throw Error(ExitCode::kBadData, "bad frame: an upgrade has two parts, a file and a signature");
  if (parts[0].size() > kMostFileBytes || parts[1].size() > kMostSignatureBytes) {
    throw LimitExceeded{fmt::format("a program of {} bytes with a signature of {}: at most {} and {} are taken",
                                    parts[0].size(), parts[1].size(), kMostFileBytes, kMostSignatureBytes)};
  }
  std::string sha256 = Sha256Hex(parts[0]);
  // The file may come again with another signature.
  std::erase_if(programs_, [&](const Program& program) { return program.sha256 == sha256; });
  if (programs_.size() == kMostPrograms) programs_.pop_front();
  programs_.push_back({sha256, parts});
  return sha256;
}

const std::vector<std::string>* ProgramStore::Find(const std::string& sha256) const {
  const auto it =
      std::find_if(programs_.begin(), programs_.end(), [&](const Program& p) { return p.sha256 == sha256; });
  return it == programs_.end() ? nullptr : &it->parts;
}

}  // namespace hone
