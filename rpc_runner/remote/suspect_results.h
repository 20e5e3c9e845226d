// Results that their runner does not trust any more after it has sent them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rpc_runner/remote/job_queue.h"
#include "rpc_runner/runner.h"

namespace hone {

// Remembers which runner measured each result, so that no runner can retract another one's. Not thread-safe.
class SuspectResults {
 public:
  // The most results that are remembered; a runner gives fewer from one golden run to the next.
  static constexpr size_t kMost = 16'384;

  // The runner behind `worker` sent the result that ended the job.
  void Add(WorkerId worker, JobId job);
  // The caller of Wait has the result.
  void MarkDelivered(JobId job);
  // Ignores jobs that the worker did not send and those that are suspect already.
  void MarkSuspect(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why);
  // Suspect results that the caller has, each returned once.
  std::vector<SuspectResult> Take();

 private:
  struct Result {
    WorkerId worker = 0;
    bool delivered = false;
    std::string why;  // empty: the result is trusted
  };
  std::map<JobId, Result> results_;
  std::vector<JobId> suspects_;
};

}  // namespace hone
