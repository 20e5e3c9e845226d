// The one-file runner of an architecture as a board, and the command that starts it here.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/typed_session.h"

namespace hone {

struct Board {
  std::string arch, runner;
  std::string emulator;  // empty for this machine's own architecture
  std::string target;    // a name of `hone targets` whose code the board runs

  bool emulated() const { return !emulator.empty(); }
};

// The architecture is HONE_RUNNER_ARCH (else aarch64). HONE_RUNNERS is the folder with the results of
// scripts/build_runner.sh.
Board BoardUnderTest();

// The reason that it cannot be started here; empty when it can.
std::string WhyNoBoard(const Board& board);

// The words that start it, and the options that an emulated runner gets in addition. With `old_kernel` it sees no
// system call that Linux 4.4 does not have.
BoardProgram StartOf(const Board& board, bool old_kernel = false);

}  // namespace hone
