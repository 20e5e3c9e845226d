// Takes a small kernel to a runner and back, to find the step that fails.
#pragma once

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

}  // namespace hone
