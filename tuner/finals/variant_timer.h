// Builds the model with given configs and times it on the runner.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/relay/expr.h"
#include "core/candidate.h"
#include "core/random.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"

namespace hone {

// The model as built with one choice of configs, and its times by round.
struct Variant {
  PackageJob job;
  std::vector<int64_t> total_ns;                            // a run of the model
  std::map<std::string, std::vector<int64_t>> workload_ns;  // the sum of a task's calls
};

// Whether both run the same kernels.
bool SameKernels(const Variant& a, const Variant& b);

// All references and `kernels` must outlive it. Timers that share `kernels` compile each kernel once.
class VariantTimer {
 public:
  static constexpr int kRuns = 5;  // of the model in a process, after one to warm up; the least counts
  // Fewer rounds than kRounds are taken when the time does not suffice. With fewer than kLeastRounds no rank test of
  // two finds anything.
  static constexpr int kRounds = 7, kLeastRounds = 4;

  VariantTimer(const relay::IRModule& module, const TuneOptions& options, Runner& runner, const TuneTools& tools,
               CompiledKernels& kernels, const std::atomic<bool>* stop);

  // No result is waited for much longer than until `deadline_ns` of tools' clock; 0: none.
  void SetDeadline(int64_t deadline_ns) { deadline_ns_ = deadline_ns; }
  bool stopping() const { return stop_ != nullptr && stop_->load(); }
  // Whether something that takes as long can be done before the deadline.
  bool Reaches(int64_t cost_ns) const { return deadline_ns_ == 0 || tools_.now_ns() + cost_ns <= deadline_ns_; }

  // Builds the model with the source's choices. Afterwards it is known what another build takes: one of new kernels, by
  // the longest so far, and one of kernels that are all known.
  Variant BuildWith(ConfigSource& source);
  int64_t build_ns() const { return build_ns_; }
  int64_t rebuild_ns() const { return rebuild_ns_; }
  // The time of one process of the variant, which is run once for that. Throws Error(kNoRunner) without a result.
  int64_t CostNs(const Variant& variant);
  // Times all variants on one machine, every round in a new random order. Returns false when interrupted. Throws
  // Error(kNoRunner) without a result.
  bool Time(const std::vector<Variant*>& variants, int rounds);

 private:
  bool WaitUntilLate(JobResult* result);
  void TimeOnce(Variant& variant, const JobGroup& group);

  const relay::IRModule& module_;
  const TuneOptions& options_;
  Runner& runner_;
  const TuneTools& tools_;
  CompiledKernels& kernels_;
  const std::atomic<bool>* stop_;
  int64_t deadline_ns_ = 0, build_ns_ = 0, rebuild_ns_ = 0;
  Random random_;
};

}  // namespace hone
