#include "rpc_runner/executor/judge/judge_ending.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "core/failure.h"

namespace hone {
namespace {

Ending OutOfBounds(const ChildNote& fault) {
  const std::string what = fault.operand < 0 ? "a workspace" : fmt::format("operand {}", fault.operand);
  std::string message;
  switch (fault.place) {
    case FaultPlace::kBefore:
      message = fmt::format("it touched memory {} bytes before {}", fault.offset, what);
      break;
    case FaultPlace::kAfter:
      message = fmt::format("it touched memory {} bytes past {}", fault.offset, what);
      break;
    default:
      message = fmt::format("it wrote to {}, which is an input", what);
      break;
  }
  return {Fate::kOutOfBounds, fault.operand, message};
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

Ending JudgeEnding(int status, const ChildNote* fault) {
  if (WIFSIGNALED(status)) return BySignal(WTERMSIG(status), fault);
  const int code = WEXITSTATUS(status);
  return {Fate::kCrashed, code, fmt::format("its process ended by itself with code {}", code)};
}

}  // namespace hone
