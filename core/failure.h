// Whose failure it is: the candidate's, which is a verdict on it, or the machine's, which says nothing of it.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/measurement.h"

namespace hone {

// Why a candidate was not built or not measured.
struct Failure {
  Fate fate = Fate::kInvalidConfig;  // kCancelled: the machine's failure, never kept as a verdict
  std::string reason;                // one line
  // The exit code of a run that ends because it meets only such failures; of kCancelled alone.
  ExitCode code = ExitCode::kNoRunner;
};

// Whether an Error of this code says that the machine refused something: a file, memory, a process, a runner.
bool IsOfMachine(ExitCode code);

// Whether the text, ours or another program's, holds what the system says when it refuses something, for example "No
// space left on device" or "Too many open files".
bool NamesRefusal(std::string_view text);

// The failure that was thrown while a candidate was worked on. Missing memory, a std::system_error, an Error of
// IsOfMachine and a text of NamesRefusal are the machine's; everything else has the fate `candidates`.
Failure FailureOf(const std::exception& error, Fate candidates);

// Whether a signal is sent by users, the system or its want of memory, and never raised by code that fails.
bool IsSentFromOutside(int signal);

// A program that had to work on a candidate and ended instead of answering.
struct ProgramEnding {
  int status = 0;             // as waitpid gives it
  std::string words;          // the first line that it wrote to stderr
  int64_t peak_bytes = 0;     // of memory that it had at once
  int64_t allowed_bytes = 0;  // that it could have
};
// The machine's: a signal of IsSentFromOutside or SIGBUS (a page that the system could not provide), words of
// NamesRefusal, missing memory before the allowed memory was used, and an exit by itself, unless LLVM says why.
// SIGXCPU is TimedOut, everything else has the fate `candidates`. `program` begins the reason: "the compiler".
Failure FailureOfEnding(std::string_view program, const ProgramEnding& ending, Fate candidates);

// Whether a program that found no memory had used what it may have: half of it counts, for memory is refused in pieces.
inline bool HadItsMemory(int64_t peak_bytes, int64_t allowed_bytes) { return peak_bytes >= allowed_bytes / 2; }

// Whether a stored failure is the machine's though its fate blames the candidate: of versions that did not tell them
// apart. What its message leaves open counts as the candidate's.
bool BlamesForMachine(Fate fate, std::string_view message);
// The fates that it may speak of: a reader needs no other record's message.
inline constexpr std::array kFatesThatMayBlame = {Fate::kUnsupported, Fate::kCompileFailed, Fate::kOutOfMemory};

}  // namespace hone
