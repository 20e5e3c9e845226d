// Results that a runner doubts after it has sent them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rpc_runner/remote/job_queue.h"
#include "rpc_runner/runner.h"

namespace hone {

// Remembers which runner measured each result, so that no runner can doubt another one's. Not thread-safe.
class DoubtedResults {
 public:
  // The most results that are remembered; a runner gives fewer from one golden run to the next.
  static constexpr size_t kMost = 16'384;

  // The runner behind `worker` sent the result that ended the job.
  void Came(WorkerId worker, JobId job);
  // The caller of Wait has the result.
  void Told(JobId job);
  // Ignores jobs that the worker did not send and those that are doubted already.
  void SpeakAgainst(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why);
  // Doubts of results that the caller has, each returned once.
  std::vector<Doubt> Take();

 private:
  struct Result {
    WorkerId worker = 0;
    bool told = false;
    std::string why;  // empty: the result is not doubted
  };
  std::map<JobId, Result> results_;
  std::vector<JobId> doubted_;
};

}  // namespace hone
