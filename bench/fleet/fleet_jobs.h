// Shared parts of the fleet's benchmarks: offers, tuners, and jobs that run to their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/keys/key_paths.h"
#include "rpc_runner/runner.h"

namespace hone::bench {

inline constexpr int64_t kMillisecond = 1'000'000;

void Sleep(int64_t ns);
// By the monotonic clock.
double SecondsSince(int64_t begin_ns);

// The options of a runner that offers the key "fleet".
RunnerServerOptions Offer(const std::string& tracker, const ClientKeys& keys, bool direct = false);
// Returns when the tuner has so many runners of that key.
std::unique_ptr<Runner> Tuner(const std::string& tracker, const ClientKeys& keys, int runners, bool direct = false);
// A job whose kernel and reference have so many bytes each: as large as real kernels, or empty.
KernelJob SomeJob(size_t bytes);

struct Outcome {
  double seconds = 0;
  int wrong = 0;                            // jobs that failed, ended twice or never ended
  std::map<std::string, int> by_host = {};  // number of jobs by host
};
// `after` is called with the number of finished jobs.
Outcome RunAll(Runner& runner, const KernelJob& job, int jobs, const std::function<void(int)>& after = nullptr);

}  // namespace hone::bench
