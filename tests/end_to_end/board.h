// The one-file runner of an architecture as a board: what starts it here.
#pragma once

#include <string>
#include <vector>

#include "tests/end_to_end/typed_session.h"

namespace hone {

struct Board {
  std::string arch, runner;
  std::string emulator;  // empty for this machine's own architecture
  std::string target;    // a name of `hone targets` whose code it runs

  bool emulated() const { return !emulator.empty(); }
};

// HONE_RUNNER_ARCH names the architecture (else aarch64); what scripts/build_runner.sh made of it lies in HONE_RUNNERS.
Board BoardUnderTest();

// Why it cannot be started here; empty when it can.
std::string WhyNoBoard(const Board& board);

// The words that start it, and what an emulated runner is told beside its own options. With `old_kernel` it sees no
// system call that Linux 4.4 does not have.
BoardProgram StartOf(const Board& board, bool old_kernel = false);

}  // namespace hone
