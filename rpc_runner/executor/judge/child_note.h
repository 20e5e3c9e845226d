// Messages between a job's child and the executor: fixed structs, one per packet.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace hone {

inline constexpr int kMaxNoteSamples = 64;
// The number of tries of a system call on a note's descriptor, which may fail for a moment.
inline constexpr int kNoteTries = 100;

enum class NoteKind : int32_t {
  kReady = 1,    // loaded, mapped, locked down
  kRan = 2,      // the kernel returned `code`
  kSamples = 3,  // timed
  kFailed = 4,   // could not be loaded or mapped: `code` is a Fate, `text` says why
  kFault = 5,    // about to die of signal `code`
};

enum class FaultPlace : int32_t { kElsewhere = 0, kBefore = 1, kAfter = 2, kInside = 3, kStack = 4 };

// From the child. The executor believes nothing in it that it can check itself.
struct ChildNote {
  uint64_t nonce;  // the command's, which exposes packets made up in advance
  NoteKind kind;
  int32_t code;
  FaultPlace place;
  int32_t operand;  // the one that the fault is near; -1: a workspace
  int64_t offset;   // bytes before or after the operand, or from its begin if inside
  int32_t samples;
  int32_t noisy;
  int64_t samples_ns[kMaxNoteSamples];
  int64_t batch[kMaxNoteSamples];
  char text[240];
};

enum class CommandKind : int32_t { kRun = 1, kTime = 2, kQuit = 3 };

// To the child. A kReady note has the nonce 0; every later note has that of the command it answers.
struct ChildCommand {
  uint64_t nonce;
  CommandKind kind;
  int32_t seed;  // index of the inputs to run on
};

// Whether the note was written as one packet. Async-signal-safe.
template <typename Note>
bool WriteNote(int fd, const Note& note) {
  for (int i = 0; i < kNoteTries; ++i) {
    if (write(fd, &note, sizeof(note)) == static_cast<ssize_t>(sizeof(note))) return true;
  }
  return false;
}

}  // namespace hone
