// The main loop of hone-runner, which offers this machine to tuners.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "rpc_runner/device/upgrade/program_upgrade.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/runner.h"

namespace hone {

struct RunnerServerOptions {
  std::string tracker;
  std::string key;
  std::string label;  // this device's name among those of its key; empty: the host's
  std::string boot;   // a unique name of the machine's boot; empty: Linux's boot_id
  // Whether tuners may connect to this runner directly, besides through the tracker, and the address for that.
  bool direct = false;
  std::string bind = "tcp://127.0.0.1:*";
  ExecutorOptions executor;  // the limits of its executor
  // Runtimes that it offers (ParseOfferedRuntime), and what their adapters may read besides.
  std::vector<std::string> runtimes;
  std::vector<std::string> runtime_reads;
  int64_t lifetime_ns = 0;              // 0: without limit
  int64_t max_jobs = 0;                 // 0: without limit
  bool once = false;                    // exit when the first lease is over
  std::optional<HealthOptions> health;  // absent: the device is not watched
  DeviceProbes probes;                  // the functions by which the device is watched
  ClientKeys keys;
  std::optional<UpgradeOptions> upgrade;  // absent: upgrades are refused
};

// The reason why a runner has stopped.
enum class RunnerEnding {
  kOver,      // as it was told to
  kUpgraded,  // another program has replaced this one's file: call Become
};

// Offers this machine until its lifetime is over, or it has done max_jobs or served once; then it finishes the running
// jobs. When *stop is set it exits at once, and its jobs go elsewhere. Reconnects whenever the tracker is lost. Throws
// Error(kNoRunner) if the executor cannot start, and Error(kBadConfig) as ClientSecurity does, or if `bind` is not
// loopback.
RunnerEnding ServeRunner(const RunnerServerOptions& options, const std::atomic<bool>* stop);

// As ServeRunner, with another executor. `poll_fd` returns a descriptor that is readable when executor.Wait(0) may have
// something to do; it is called before each wait.
RunnerEnding ServeExecutor(const RunnerServerOptions& options, Runner& executor, const std::function<int()>& poll_fd,
                           const std::atomic<bool>* stop);

}  // namespace hone
