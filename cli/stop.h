// Ends long commands on SIGINT, SIGTERM and SIGHUP (a terminal that is closed), and lets a reader of stdout that leaves
// be an error. Commands that do not ask for it keep the signals' own effect.
#pragma once

#include <atomic>

namespace hone {

// From now on the first signal sets the flag, and a second one ends the process at once with the exit code of its kind.
// SIGHUP stays ignored where it was (nohup). The flag lives for the process.
const std::atomic<bool>* CatchStopSignals();

// 129, 130 or 143 when a signal came, otherwise `otherwise`.
int StopExitCode(int otherwise);

}  // namespace hone
