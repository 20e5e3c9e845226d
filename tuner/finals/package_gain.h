// Times the package of before a tuning run and the one of now in turns, which says what the run was worth.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/relay/expr.h"
#include "core/candidate.h"
#include "core/stats/sample_statistics.h"
#include "tuner/finals/variant_timer.h"
#include "tuner/tuner.h"

namespace hone {

struct PackageGain {
  bool measured = false;
  std::string why_not;           // the reason when it was not measured
  bool same_kernels = false;     // both packages run the same; then `after` is `before`
  MedianInterval before, after;  // whole model, ns
  double p = 1;                  // p-value of the hypothesis that the two are alike
  int rounds = 0;
  // "faster", "slower" or "no significant difference"; empty if nothing was compared.
  std::string verdict;
  std::map<std::string, std::string> configs;  // of the package of now: CandidateText by workload
  int64_t elapsed_ns = 0;
};

// Whether a budget, as it was asked for, has a part for the stages with the built model: finals and the comparison of
// packages (docs/why/tuning.md).
bool KeepsTimeForModel(int64_t budget_ns);
// The size of that part. Both stages need `least_ns` at least and `most_ns` at most; 0 if that is not known.
int64_t TimeForModelNs(int64_t budget_ns, int64_t least_ns, int64_t most_ns);

// Times a model as a build would have made it before the run, and as it makes it now. References must outlive it.
class PackageComparison {
 public:
  PackageComparison(const relay::IRModule& module, const TuneOptions& options, Runner& runner, CompiledKernels& kernels,
                    const std::atomic<bool>* stop);

  // Builds the package of before, and times it once. Then what finals in the built model and the comparison take is
  // known. Never throws: whatever is in the way is told by Finish.
  void Begin(ConfigSource& before);
  // The time that both stages need at least and at most; 0 if Begin was not called or found something in the way.
  int64_t LeastNs() const;
  int64_t MostNs() const;
  // The time that the comparison alone needs at least.
  int64_t OwnLeastNs() const;

  // Builds the package of now and compares. `deadline_ns` is of a steady clock; 0: none. Calls Begin if that was not
  // done.
  PackageGain Finish(ConfigSource& before, ConfigSource& now, int64_t deadline_ns);

 private:
  // The time of finals of so many variants and of the comparison, with so many rounds each.
  int64_t BothNs(int64_t variants, int64_t rounds) const;
  PackageGain Compare(ConfigSource& now);

  const TuneTools tools_;
  VariantTimer timer_;
  std::optional<Variant> before_;
  int64_t cost_ns_ = 0;
  std::string trouble_;
};

}  // namespace hone
