// Ends long commands in order on SIGINT, SIGTERM and SIGHUP (a closed terminal), and makes a closed reader of stdout an
// error. Commands that do not call CatchStopSignals keep the signals' default actions.
#pragma once

#include <atomic>

namespace hone {

// After this call the first signal sets the flag, and a second one ends the process at once with its exit code. SIGHUP
// stays ignored if it was (nohup). The flag lives as long as the process.
const std::atomic<bool>* CatchStopSignals();

// 129, 130 or 143 after a signal, otherwise `otherwise`.
int StopExitCode(int otherwise);

}  // namespace hone
