// One small kernel taken all the way to a runner and back, to say which step of the way fails.
#pragma once

#include <string>
#include <vector>

#include "rpc_runner/runner.h"

namespace hone {

struct Hop {
  std::string name;
  bool ok = true;
  std::string what;  // one line: what was found, or why it failed
};

// "keys" (what is proved to the tracker), "connect" (it answers), "lease" (a runner of the key is ours), "build" (a
// kernel for its CPU), "upload" (its bytes are there), "run" (an answer came), "result" (it says that the kernel is
// right). Ends with the first that fails.
std::vector<Hop> TryRunner(const RemoteRunnerOptions& remote);

}  // namespace hone
