#include "rpc_runner/tracker/runner_note.h"

#include <algorithm>

#include "rpc_runner/tracker/bounded_fields.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

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
