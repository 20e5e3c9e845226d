// Results that a runner doubts after it has sent them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rpc_runner/job_board.h"
#include "rpc_runner/runner.h"

namespace hone {

// Which runner measured what was told, so that none can speak against another one's results. Not thread-safe.
class DoubtedResults {
 public:
  // The newest that are remembered: more than a runner gives from one golden run to the next.
  static constexpr size_t kMost = 16'384;

  // The result that ended the job, of the runner behind `lane`.
  void Came(LaneId lane, JobId job);
  // Its user has it.
  void Told(JobId job);
  // Of those that the lane did not send, or that are doubted already, nothing is kept.
  void SpeakAgainst(LaneId lane, const std::vector<JobId>& jobs, const std::string& why);
  // Those that were told and not taken yet.
  std::vector<Doubt> Take();

 private:
  struct Result {
    LaneId lane = 0;
    bool told = false;
    std::string why;  // empty: nothing speaks against it
  };
  std::map<JobId, Result> results_;
  std::vector<JobId> doubted_;
};

}  // namespace hone
