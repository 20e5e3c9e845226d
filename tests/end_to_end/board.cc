#include "tests/end_to_end/board.h"

#include <unistd.h>

#include <cstdlib>

#include "core/text/parse_number.h"

namespace hone {

Board BoardUnderTest() {
  const char* arch = std::getenv("HONE_RUNNER_ARCH");
  Board board;
  board.arch = arch == nullptr ? "aarch64" : arch;
  board.runner = std::string(HONE_RUNNERS) + "/" + board.arch + "/hone-runner";
  board.target = "x86-64-v2";
  if (board.arch == "aarch64") {
    board.emulator = "qemu-aarch64-static";
    board.target = "cortex-a72";
  } else if (board.arch == "armv7") {
    board.emulator = "qemu-arm-static -cpu cortex-a15";
    board.target = "cortex-a15";
  } else if (board.arch == "riscv64") {
    board.emulator = "qemu-riscv64-static -cpu rv64,v=true,vlen=256";
    board.target = "rv64gcv_zvl256b";
  }
  return board;
}

std::string WhyNoBoard(const Board& board) {
  if (access(board.runner.c_str(), X_OK) != 0) {
    return "no " + board.runner + "; scripts/build_runner.sh " + board.arch + " makes it";
  }
  const std::string program = board.emulator.substr(0, board.emulator.find(' '));
  if (!program.empty() && std::system(("command -v " + program + " >/dev/null").c_str()) != 0) return "no " + program;
  return "";
}

BoardProgram StartOf(const Board& board, bool old_kernel) {
  BoardProgram start;
  start.program = old_kernel ? HONE_OLD_KERNEL : "/usr/bin/env";
  if (board.emulated()) {
    for (const std::string_view word : Split(board.emulator, ' ')) start.before.emplace_back(word);
    start.after = {"--emulator", board.emulator};
  }
  start.before.push_back(board.runner);
  start.after.insert(start.after.end(), {"--health", "off"});
  return start;
}

}  // namespace hone
