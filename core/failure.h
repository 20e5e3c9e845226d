// Decides whether a failure is the candidate's, which is a verdict on it, or the machine's, which says nothing about
// it.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/measurement.h"

namespace hone {

// The reason why a candidate was not built or not measured.
struct Failure {
  Fate fate = Fate::kInvalidConfig;  // kCancelled: the machine's failure, never kept as a verdict
  std::string reason;                // one line
  // The exit code of a run that ends because it meets only such failures. Used only with kCancelled.
  ExitCode code = ExitCode::kNoRunner;
};

// Whether an Error of this code says that the machine refused something: a file, memory, a process, a runner.
bool IsOfMachine(ExitCode code);

// Whether a text contains the system's words for a refusal, for example "No space left on device" or "Too many open
// files". The text may be from hone or from another program.
bool NamesRefusal(std::string_view text);

// Classifies an exception that was thrown during work on a candidate. Missing memory, a std::system_error, an Error
// for which IsOfMachine holds and a text for which NamesRefusal holds are the machine's. Everything else has the fate
// `candidates`.
Failure FailureOf(const std::exception& error, Fate candidates);

// Whether a signal is sent by users or by the system, also when memory is short, and is never raised by failing code.
bool IsSentFromOutside(int signal);

// The end of a program that should have worked on a candidate and did not answer.
struct ProgramEnding {
  int status = 0;             // as waitpid gives it
  std::string words;          // the first line that it wrote to stderr
  int64_t peak_bytes = 0;     // peak memory use
  int64_t allowed_bytes = 0;  // its memory limit
};
// Classifies such an ending. SIGXCPU is TimedOut, and the signals of a crash (SIGABRT, SIGFPE, SIGILL, SIGSEGV,
// SIGTRAP) have the fate `candidates`. Every other signal is the machine's: SIGBUS for a page that the system could not
// provide, SIGXFSZ for a limit of file sizes. So are words for which NamesRefusal holds, memory that ran out before the
// limit was used, and an exit by itself unless LLVM says why. `program` begins the reason: "the compiler".
Failure FailureOfEnding(std::string_view program, const ProgramEnding& ending, Fate candidates);

// Whether a program that ran out of memory had used its limit. Half of it counts, because memory is refused in pieces.
inline bool HadItsMemory(int64_t peak_bytes, int64_t allowed_bytes) { return peak_bytes >= allowed_bytes / 2; }

// Whether a stored failure is the machine's although its fate blames the candidate. Some versions did not tell the two
// apart. A message that leaves it open counts as the candidate's.
bool BlamesForMachine(Fate fate, std::string_view message);
// The fates for which BlamesForMachine can be true. A reader needs no message of any other record.
inline constexpr std::array kFatesThatMayBlame = {Fate::kUnsupported, Fate::kCompileFailed, Fate::kOutOfMemory};

}  // namespace hone
