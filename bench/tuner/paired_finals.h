// Finals between two kernels, one of which takes a known share longer.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "rpc_runner/runner.h"
#include "tuner/finals_outcome.h"
#include "tuner/tune_tools.h"

namespace hone::bench {

// The incumbent is the slower one. Uses the real executor, with as many rounds and samples as the finals of a tuning
// run.
class PairedFinals {
 public:
  // `gap`: how much longer the incumbent takes, 0.03 for 3 %. A run takes about 25 us.
  PairedFinals(Runner& runner, double gap, uint64_t seed);
  // Standing 0 is the incumbent's. Throws Error(kNoRunner) if a kernel did not run.
  FinalsVerdict Hold();

 private:
  Runner& runner_;
  Random random_;
  TuneTools tools_;
  std::vector<KernelJob> jobs_;
};

}  // namespace hone::bench
