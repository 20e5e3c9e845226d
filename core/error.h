// The failure of a command. An Error means the command itself cannot go on; a candidate that fails is a Fate, not an
// Error.
#pragma once

#include <stdexcept>
#include <string>

namespace hone {

// Exit codes of every hone program. The numbers are permanent: scripts read them.
enum class ExitCode : int {
  kDone = 0,
  kAnswerIsNo = 1,  // ran, and the answer is no: a mismatch, a regression
  kUsage = 2,
  kBadData = 65,
  kNoInput = 66,
  kNoRunner = 69,
  kBug = 70,
  kCannotCreate = 73,
  kIo = 74,
  kNotAuthorised = 77,
  kBadConfig = 78,
};

// Thrown when a command cannot go on; caught once, in the program's main. The message is one line that says what was
// given and what would be right, without a trailing full stop or the program's name.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace hone
