// Finals between two kernels of which one takes a known share longer.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "rpc_runner/runner.h"
#include "tuner/rank_finalists.h"
#include "tuner/tune_tools.h"

namespace hone::bench {

// The incumbent is the slower one. The real executor, as many rounds and samples as finals of a tuning run have.
class PairedFinals {
 public:
  // How much longer the incumbent takes: 0.03 for 3 %. About 25 us a run.
  PairedFinals(Runner& runner, double gap, uint64_t seed);
  // Standing 0 is the incumbent's. Throws Error(kNoRunner) when a kernel did not run.
  FinalsVerdict Hold();

 private:
  Runner& runner_;
  Random random_;
  TuneTools tools_;
  std::vector<KernelJob> jobs_;
};

}  // namespace hone::bench
