// What a note from a candidate's process is worth: the candidate may have written it.
#pragma once

#include <cstdint>

#include "rpc_runner/executor/child_note.h"
#include "rpc_runner/executor/ending.h"

namespace hone {

// What the executor waits for.
struct AskedNote {
  uint64_t nonce = 0;  // of the command to be answered; 0: of none yet
  NoteKind kind = NoteKind::kReady;
};

struct NoteVerdict {
  enum class Worth {
    kAnswer,     // what was asked for
    kLastWords,  // of what it is about to die of; believed as far as its end bears them out
    kEnding,     // nothing more is to be heard; see `ending`
  };
  Worth worth = Worth::kAnswer;
  Ending ending = {};  // of kEnding
};

// `packet_bytes`: how long the packet was; `note` is looked at only where that is its size. Codes and times of an
// answer are not judged here.
NoteVerdict JudgeNote(const ChildNote& note, int64_t packet_bytes, const AskedNote& asked);

}  // namespace hone
