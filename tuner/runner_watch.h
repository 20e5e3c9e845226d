// Watches whether a runner has machines left.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"

namespace hone {

// Tells at once that no machine is left, and gives up after a while. Only is_over() may be called from other threads.
class RunnerWatch {
 public:
  // `tell` is called with the reason when it changes and once a second, and with "" once a machine is there again.
  using Tell = std::function<void(const std::string& why)>;
  RunnerWatch(Runner& runner, const TuneTools& tools, int64_t patience_ns, Tell tell)
      : runner_(runner), tools_(tools), patience_ns_(patience_ns), tell_(std::move(tell)) {}

  // Call it often while jobs are waited for.
  void Look();
  // Whether no machine has been known to exist for the patience's time. Stays true.
  bool is_over() const { return is_over_; }
  // The reason at the last look; empty if a machine was there.
  const std::string& why() const { return why_; }

 private:
  static constexpr int64_t kTellNs = 1'000'000'000;

  Runner& runner_;
  const TuneTools& tools_;
  const int64_t patience_ns_;
  const Tell tell_;
  std::string why_;
  int64_t told_ns_ = 0;
  std::atomic<bool> is_over_{false};
};

}  // namespace hone
