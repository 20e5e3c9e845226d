#include "rpc_runner/executor/judge/judge_note.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

NoteVerdict End(Fate fate, std::string message) { return {NoteVerdict::Worth::kEnding, {fate, 0, std::move(message)}}; }

NoteVerdict Forged(const std::string& how) {
  return End(Fate::kPolicyViolation, fmt::format("a note {} came from the kernel's process", how));
}

// The fates that RunJobChild reports itself; any other one is for the executor to decide. Cancelled, a fault of the
// machine, is only believed before any of the candidate's code has run.
bool MayTell(int32_t code, const AskedNote& asked) {
  switch (code) {
    case static_cast<int32_t>(Fate::kCancelled):
      return asked.kind == NoteKind::kReady;
    case static_cast<int32_t>(Fate::kUnsupported):
    case static_cast<int32_t>(Fate::kCrashed):
    case static_cast<int32_t>(Fate::kOutOfMemory):
    case static_cast<int32_t>(Fate::kPolicyViolation):
      return true;
    default:
      return false;
  }
}

}  // namespace

NoteVerdict JudgeNote(const ChildNote& note, int64_t packet_bytes, const AskedNote& asked) {
  if (packet_bytes != static_cast<int64_t>(sizeof(note))) return Forged(fmt::format("of {} bytes", packet_bytes));
  if (note.nonce != asked.nonce) return Forged("with a wrong nonce");
  if (note.kind == NoteKind::kFault) return {NoteVerdict::Worth::kLastWords};
  if (note.kind == NoteKind::kFailed) {
    if (!MayTell(note.code, asked)) return Forged("with a wrong code");
    NoteVerdict verdict =
        End(static_cast<Fate>(note.code), std::string(note.text, strnlen(note.text, sizeof(note.text))));
    if (verdict.ending.fate == Fate::kCancelled) verdict.ending.detail = static_cast<int32_t>(ExitCode::kIo);
    return verdict;
  }
  if (note.kind != asked.kind) return Forged("of a wrong kind");
  return {NoteVerdict::Worth::kAnswer};
}

}  // namespace hone
