// The tuners that use the same store at the same time.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "tuner/measured_here.h"
#include "tuner/strategy.h"
#include "tuner/trial.h"
#include "tuner/tuning_task.h"

namespace hone {

// What they measure on this kind of machine is learnt and not measured again; what is measured here is claimed, so that
// they leave it. Thread-compatible.
class OtherTuners {
 public:
  // What the store has by now is known to the run. The store must outlive it.
  OtherTuners(RecordStore& store, const MeasuredHere& here);

  // Up to n proposals for tasks[task] that nobody else has measured or measures; none when its space is spent. Each is
  // claimed until its Release. On the way every task learns what others have recorded.
  std::vector<Proposal> Propose(std::vector<TuningTask>& tasks, size_t task, size_t n);
  // Its record is in the store, or there will be none.
  void Release(const Trial& trial);

 private:
  std::set<std::string> LearnNews(std::vector<TuningTask>& tasks);
  std::string Claim(const Workload& workload, const Proposal& proposal) const;

  RecordStore& store_;
  const MeasuredHere here_;
  int64_t seen_ = 0;            // as RecordStore::Arrived counts
  std::set<std::string> ours_;  // claims of all that was proposed here
};

}  // namespace hone
