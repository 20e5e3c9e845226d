// Judges a candidate's process: its notes, which the candidate may have forged, and its end.
#pragma once

#include <cstdint>
#include <string>

#include "core/measurement.h"
#include "rpc_runner/executor/judge/child_note.h"

namespace hone {

// The way in which a candidate's process ended before its work was done.
struct Ending {
  Fate fate = Fate::kCrashed;
  int32_t detail = 0;
  std::string message;
};

// The note that the executor waits for.
struct AskedNote {
  uint64_t nonce = 0;  // of the command to be answered; 0 before the first one
  NoteKind kind = NoteKind::kReady;
};

struct NoteVerdict {
  enum class Worth {
    kAnswer,       // what was asked for
    kCrashReport,  // a report of a fatal signal, believed only as far as the end confirms it
    kEnding,       // no further notes are expected; see `ending`
  };
  Worth worth = Worth::kAnswer;
  Ending ending = {};  // for kEnding
};

// `packet_bytes`: the packet's length; `note` is only read if it has that size. The codes and times in an answer are
// not judged here.
NoteVerdict JudgeNote(const ChildNote& note, int64_t packet_bytes, const AskedNote& asked);

// The fate of a process from how it died. `status` is waitpid's; `fault` is the child's kFault note, or null.
// docs/reference/protocol.md has the table.
Ending JudgeEnding(int status, const ChildNote* fault);

}  // namespace hone
