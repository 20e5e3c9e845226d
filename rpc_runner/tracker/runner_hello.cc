#include "rpc_runner/tracker/runner_hello.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/tracker/tracker_client.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

using State = RunnerEntry::State;

namespace {

// Keeps the fields that this tracker knows.
Json BoundedRuntimes(const Json& list) {
  if (!list.is_array()) throw Error(ExitCode::kBadData, "bad frame: field \"runtimes\" should be a list");
  if (list.size() > kMostNamed) throw LimitExceeded{fmt::format("more than {} runtimes", kMostNamed)};
  Json kept = Json::array();
  for (const Json& each : list) {
    if (!each.is_object()) throw Error(ExitCode::kBadData, "bad frame: a runtime should be an object");
    Json fields = Json::object();
    for (const char* const name : {"runtime", "name", "version"}) fields[name] = BoundedText(each, name);
    kept.push_back(std::move(fields));
  }
  return kept;
}

}  // namespace

RunnerEntry EntryFromHello(const Caller& caller, const Json& header, int64_t now_ns) {
  RunnerEntry entry;
  entry.id = BoundedText(header, "runner");
  entry.peer = caller.peer;
  entry.owner = caller.sender.name;
  entry.key = BoundedText(header, "key");
  entry.label = BoundedText(header, "label");
  entry.address = BoundedTextOr(header, "address", "", kMostLongTextBytes);
  const Environment environment = EnvironmentFromJson(BoundedObject(header, "environment"));
  entry.environment = ToJson(environment);
  entry.machine = MachineKind(environment, BoundedTextOr(header, "boot", ""));
  entry.kind = DumpJson(entry.machine);
  entry.health = RunnerHealth::FromHello(header);
  entry.lease = BoundedText(header, "lease");
  entry.holder = BoundedTextOr(header, "holder", "");
  entry.jobs_done = static_cast<int64_t>(HeaderNumber(header, "jobs_done"));
  entry.heard_ns = entry.leased_ns = now_ns;
  entry.lease_until_ns = now_ns + kLeaseNs;
  entry.state = entry.lease.empty() ? State::kFree : State::kBusy;
  if (header.contains("program")) {
    const Json& program = BoundedObject(header, "program");
    entry.version = BoundedText(program, "version");
    entry.program = BoundedText(program, "sha256");
    entry.upgrades = program.contains("upgrades") && program["upgrades"] == true;
  }
  if (header.contains("runtimes")) entry.runtimes = BoundedRuntimes(header["runtimes"]);
  return entry;
}

void MergeKnown(const RunnerEntry& known, RunnerEntry* entry) {
  if (known.state == State::kOffered && entry->state == State::kFree && entry->health.is_offered()) {
    // The runner sent its hello before the offer reached it.
    entry->state = State::kOffered;
    entry->lease = known.lease;
    entry->lease_until_ns = known.lease_until_ns;
  }
  if (!known.lease.empty() && known.lease == entry->lease) {
    entry->client = known.client;
    entry->holder = known.holder;
    entry->leased_ns = known.leased_ns;
  }
  entry->held_by = known.held_by;
  entry->held_until_ns = known.held_until_ns;
  entry->drained = known.drained;
  entry->wanted = known.wanted;
  entry->not_upgraded = known.not_upgraded;
}

void NoteUpgrade(const Json& header, RunnerEntry* entry) {
  if (entry->wanted.empty() || !header.contains("upgrade")) return;
  const Json& upgrade = BoundedObject(header, "upgrade");
  if (BoundedText(upgrade, "sha256") != entry->wanted) return;
  entry->wanted.clear();
  entry->not_upgraded = BoundedText(upgrade, "why", kMaxErrorBytes);
}

std::string NoteFor(const RunnerEntry& runner, int64_t now_ns) {
  if (!runner.drained && runner.held_by.empty()) return "";
  Json note = {{"drained", runner.drained}};
  if (!runner.held_by.empty()) note["held_by"] = runner.held_by;
  if (!runner.held_by.empty()) note["held_ns"] = std::max<int64_t>(0, runner.held_until_ns - now_ns);
  return DumpJson(note);
}

void ApplyNote(RunnerEntry& runner, const Json& header, int64_t now_ns) {
  const std::string text = BoundedTextOr(header, "note", "", 2 * kMostLongTextBytes);
  if (text.empty()) return;
  const Json note = ParseJson(text, "a runner's note");
  if (!note.is_object()) return;
  runner.drained = note.contains("drained") && note["drained"] == true;
  if (!note.contains("held_by")) return;
  runner.held_by = BoundedText(note, "held_by");
  runner.held_until_ns = now_ns + static_cast<int64_t>(std::min<uint64_t>(HeaderNumber(note, "held_ns"), kMostHoldNs));
}

}  // namespace hone
