#include "rpc_runner/executor/judge/judge_child.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/failure.h"

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

Ending OutOfBounds(const ChildNote& fault) {
  const std::string what = fault.operand < 0 ? "a workspace" : fmt::format("operand {}", fault.operand);
  const bool before = fault.place == FaultPlace::kBefore, beside = before || fault.place == FaultPlace::kAfter;
  return {Fate::kOutOfBounds, fault.operand,
          beside ? fmt::format("it touched memory {} bytes {} {}", fault.offset, before ? "before" : "past", what)
                 : fmt::format("it wrote to {}, which is an input", what)};
}

Ending BySignal(int number, const ChildNote* fault) {
  switch (number) {
    case SIGSYS:
      return {Fate::kPolicyViolation, number, "it made a system call that a kernel has no need of"};
    case SIGXFSZ:
      return {Fate::kPolicyViolation, number, "it wrote a file"};
    case SIGXCPU:
      return {Fate::kTimedOut, number, "it used more CPU time than its deadline allows"};
    default:
      break;
  }
  const char* name = sigabbrev_np(number);
  if (IsSentFromOutside(number)) {
    // The candidate has bounded memory and cannot send signals, so the system needed memory or somebody killed it.
    return {Fate::kCancelled, static_cast<int32_t>(ExitCode::kNoRunner),
            fmt::format("it was killed by SIG{}, most likely for want of memory", name)};
  }
  const bool told = fault != nullptr && fault->code == number;
  if (told && fault->place == FaultPlace::kStack) return {Fate::kCrashed, number, "stack overflow"};
  if (told && fault->place != FaultPlace::kElsewhere) return OutOfBounds(*fault);
  return {Fate::kCrashed, number, fmt::format("it died of SIG{}", name != nullptr ? name : "?")};
}

}  // namespace

NoteVerdict JudgeNote(const ChildNote& note, int64_t packet_bytes, const AskedNote& asked) {
  if (packet_bytes != static_cast<int64_t>(sizeof(note))) return Forged(fmt::format("of {} bytes", packet_bytes));
  if (note.nonce != asked.nonce) return Forged("with a wrong nonce");
  if (note.kind == NoteKind::kFault) return {NoteVerdict::Worth::kCrashReport};
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

Ending JudgeEnding(int status, const ChildNote* fault) {
  if (WIFSIGNALED(status)) return BySignal(WTERMSIG(status), fault);
  const int code = WEXITSTATUS(status);
  return {Fate::kCrashed, code, fmt::format("its process ended by itself with code {}", code)};
}

}  // namespace hone
