// Offers this machine to tuners: what hone-runner does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rpc_runner/runner.h"

namespace hone {

struct RunnerServerOptions {
  std::string tracker;
  std::string key;
  std::string label;                       // this device's name among those of its key; empty: the host's
  std::string bind = "tcp://127.0.0.1:*";  // where tuners reach this runner
  std::vector<int> cores;                  // CPUs to time on; empty: all allowed
  int64_t lifetime_ns = 0;                 // 0: for ever
  int64_t max_jobs = 0;                    // 0: any number
};
// Offers this machine until *stop is set, its lifetime is over or it has done max_jobs; finishes the job under way.
// Keeps reconnecting when the tracker goes away. Throws Error(kNoRunner) when the executor cannot start, kBadConfig for
// a non-loopback address (there are no keys yet).
void ServeRunner(const RunnerServerOptions& options, const std::atomic<bool>* stop);

// ServeRunner with another executor. `poll_fd` names a descriptor that is readable when executor.Wait(0) may have
// something to do; it is asked before each wait.
void ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                   const std::atomic<bool>* stop);

}  // namespace hone
