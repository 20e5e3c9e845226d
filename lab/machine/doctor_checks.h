// Checks of `hone doctor`: a runner step by step, folders, and how quiet this machine is for timing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rpc_runner/runner.h"

namespace hone {

struct Hop {
  std::string name;
  bool ok = true;
  std::string what;  // one line: the result, or why it failed
};

// The steps, up to the first that fails:
// - "keys": what is proved to the tracker
// - "connect": the tracker answers
// - "lease": this process gets a runner of the key
// - "build": a kernel for the runner's CPU
// - "upload": its bytes arrived
// - "run": an answer came
// - "result": the kernel is right
std::vector<Hop> TryRunner(const RemoteRunnerOptions& remote);

// Makes a file in the folder and removes it; if the folder does not exist, in the nearest existing one above. Returns
// an empty text on success, else the reason: "/nonexistent: No such file or directory".
std::string WhyNoFileIn(const std::filesystem::path& folder);

// Measures how quiet this machine is for timing.
struct TimerNoise {
  int64_t resolution_ns = 0;  // the least step between two readings of the clock
  int64_t worst_gap_ns = 0;   // the longest time for which this thread did not run
  double lost_share = 0;      // share of the time in gaps longer than 5 us
};
// Spins for about duration_ns and reads the monotonic clock.
TimerNoise MeasureTimerNoise(int64_t duration_ns);

}  // namespace hone
