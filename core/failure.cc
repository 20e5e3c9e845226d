#include "core/failure.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

namespace hone {
namespace {

constexpr int kRefusals[] = {EACCES, EAGAIN, EBADF,  EBUSY,  EDQUOT,  EFBIG, EIO,   EMFILE, ENFILE,  ENODEV,
                             ENOENT, ENOMEM, ENOSPC, ENOSYS, ENOTDIR, ENXIO, EPERM, EROFS,  ETXTBSY, ENAMETOOLONG};

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <size_t kCount>
bool BeginsWithAny(std::string_view text, const std::array<std::string_view, kCount>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

Failure OfMachine(std::string reason, ExitCode code) { return {Fate::kCancelled, std::move(reason), code}; }

bool NamesMissingMemory(std::string_view text) {
  return Contains(text, "out of memory") || Contains(text, "bad_alloc");
}

// LLVM ends the process, with code 1 or by SIGABRT, when it cannot go on with the code that it compiles.
constexpr std::string_view kLlvmError = "LLVM ERROR";

// A compiler's own doing, and its limit of processor time. Other signals come from the system or from somebody else: a
// full disk, a limit of file sizes, a filter of system calls, a user.
constexpr int kOwnSignals[] = {SIGABRT, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGXCPU};

bool IsOwnSignal(std::string_view name) {
  return std::any_of(std::begin(kOwnSignals), std::end(kOwnSignals),
                     [name](int signal) { return name == sigabbrev_np(signal); });
}

bool DiedOfAnothersSignal(std::string_view message) {
  constexpr std::string_view kDied = "the compiler died of SIG";
  if (!message.starts_with(kDied)) return false;
  message.remove_prefix(kDied.size());
  return !IsOwnSignal(message.substr(0, message.find(':')));
}

bool CompileBlamesForMachine(std::string_view message) {
  static constexpr std::array<std::string_view, 4> kBeginnings = {"the reference of ", "cannot read lld's output",
                                                                  "lld wrote no output", "the compiler does not start"};
  const bool exited = message.starts_with("the compiler ended with exit code") && !Contains(message, kLlvmError);
  return exited || DiedOfAnothersSignal(message) || BeginsWithAny(message, kBeginnings) || NamesRefusal(message);
}

bool RunnerBlamesForMachine(std::string_view message) {
  static constexpr std::array<std::string_view, 6> kBeginnings = {
      "the reference cannot run here", "the reference returned", "the runner has no memory for the job",
      "the system killed it",          "the system gave ",       "no memory for the kernel's operands and workspaces"};
  return BeginsWithAny(message, kBeginnings) || NamesRefusal(message);
}

}  // namespace

bool IsOfMachine(ExitCode code) {
  switch (code) {
    case ExitCode::kNoRunner:
    case ExitCode::kCannotCreate:
    case ExitCode::kIo:
      return true;
    default:
      return false;
  }
}

bool NamesRefusal(std::string_view text) {
  return std::any_of(std::begin(kRefusals), std::end(kRefusals),
                     [text](int error) { return Contains(text, std::generic_category().message(error)); });
}

Failure FailureOf(const std::exception& error, Fate candidates) {
  const std::string reason = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return OfMachine("the system gave no memory", ExitCode::kIo);
  }
  if (const auto* ours = dynamic_cast<const Error*>(&error); ours != nullptr && IsOfMachine(ours->code())) {
    return OfMachine(reason, ours->code());
  }
  const bool refused = dynamic_cast<const std::system_error*>(&error) != nullptr || NamesRefusal(reason);
  return refused ? OfMachine(reason, ExitCode::kIo) : Failure{candidates, reason};
}

bool IsSentFromOutside(int signal) {
  switch (signal) {
    case SIGHUP:
    case SIGINT:
    case SIGKILL:
    case SIGPIPE:
    case SIGQUIT:
    case SIGTERM:
      return true;
    default:
      return false;
  }
}

Failure FailureOfEnding(std::string_view program, const ProgramEnding& ending, Fate candidates) {
  const bool signalled = WIFSIGNALED(ending.status);
  const int number = signalled ? WTERMSIG(ending.status) : WEXITSTATUS(ending.status);
  const char* name = signalled ? sigabbrev_np(number) : nullptr;
  const std::string end = signalled ? fmt::format("died of SIG{}", name != nullptr ? name : "?")
                                    : fmt::format("ended with exit code {}", number);
  const std::string reason = fmt::format("{} {}{}{}", program, end, ending.words.empty() ? "" : ": ", ending.words);
  if (signalled && number == SIGXCPU) return {Fate::kTimedOut, reason};
  const bool sent = signalled && (name == nullptr || !IsOwnSignal(name));
  const bool left = !signalled && !ending.words.starts_with(kLlvmError);
  if (sent || left) return OfMachine(reason, ExitCode::kNoRunner);
  const bool starved = NamesMissingMemory(ending.words) && !HadItsMemory(ending.peak_bytes, ending.allowed_bytes);
  if (starved || NamesRefusal(ending.words)) return OfMachine(reason, ExitCode::kIo);
  return {candidates, reason};
}

bool BlamesForMachine(Fate fate, std::string_view message) {
  switch (fate) {
    case Fate::kCompileFailed:
      return CompileBlamesForMachine(message);
    case Fate::kUnsupported:
    case Fate::kOutOfMemory:
      return RunnerBlamesForMachine(message);
    default:
      return false;
  }
}

}  // namespace hone
