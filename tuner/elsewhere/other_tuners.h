// Other tuners that use the same store at the same time.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "tuner/elsewhere/known_elsewhere.h"
#include "tuner/search/strategy.h"
#include "tuner/trial.h"
#include "tuner/tuning_task.h"

namespace hone {

// Their measurements on this kind of machine are learnt and not repeated. Candidates measured here are claimed, so
// that they skip them. Thread-compatible.
class OtherTuners {
 public:
  // The run already knows the store's present content. The store must outlive this.
  OtherTuners(RecordStore& store, const MeasuredHere& here);

  // Up to n proposals for tasks[task] that no other tuner has measured or is measuring; none when its space is spent.
  // Each is claimed until its Release. The call also teaches every task the new records of others.
  std::vector<Proposal> Propose(std::vector<TuningTask>& tasks, size_t task, size_t n);
  // Releases the trial's claim: its record is in the store, or there will be none.
  void Release(const Trial& trial);

 private:
  std::set<std::string> LearnNews(std::vector<TuningTask>& tasks);
  std::string Claim(const Workload& workload, const Proposal& proposal) const;

  RecordStore& store_;
  const MeasuredHere here_;
  int64_t seen_ = 0;            // as RecordStore::Arrived counts
  std::set<std::string> ours_;  // claims of everything proposed here
};

}  // namespace hone
