// Offers this machine to tuners: what hone-runner does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/keys/key_options.h"
#include "rpc_runner/process/executor_options.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/upgrade/program_upgrade.h"

namespace hone {

struct RunnerServerOptions {
  std::string tracker;
  std::string key;
  std::string label;  // this device's name among those of its key; empty: the host's
  std::string boot;   // the name of this boot of the machine, which no other machine has; empty: Linux's own boot_id
  // Whether tuners may dial this runner, besides reaching it through the tracker, and where.
  bool direct = false;
  std::string bind = "tcp://127.0.0.1:*";
  ExecutorOptions executor;             // what its executor is held to
  int64_t lifetime_ns = 0;              // 0: for ever
  int64_t max_jobs = 0;                 // 0: any number
  bool once = false;                    // leave when the first lease is over
  std::optional<HealthOptions> health;  // absent: the device is not watched
  DeviceSenses senses;                  // by which it is
  ClientKeys keys;
  std::optional<UpgradeOptions> upgrade;  // absent: it stays the program that it is
};

// Why a runner has stopped.
enum class RunnerEnding {
  kOver,      // as it was told to
  kUpgraded,  // another program lies where this one did: Become it
};

// Offers this machine until its lifetime is over, it has done max_jobs or served once; then it finishes the job under
// way. When *stop is set it leaves at once, and its jobs go elsewhere. Keeps reconnecting when the tracker goes away.
// Throws Error(kNoRunner) when the executor cannot start, kBadConfig as ClientSecurity, or for a `bind` that is not
// loopback.
RunnerEnding ServeRunner(const RunnerServerOptions& options, const std::atomic<bool>* stop);

// ServeRunner with another executor. `poll_fd` names a descriptor that is readable when executor.Wait(0) may have
// something to do; it is asked before each wait.
RunnerEnding ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                           const std::atomic<bool>* stop);

}  // namespace hone
