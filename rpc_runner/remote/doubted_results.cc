#include "rpc_runner/remote/doubted_results.h"

#include <algorithm>

namespace hone {

void DoubtedResults::Came(WorkerId worker, JobId job) {
  results_[job].worker = worker;
  // Job numbers grow with time, so the first is the oldest.
  if (results_.size() > kMost) results_.erase(results_.begin());
}

void DoubtedResults::Told(JobId job) {
  if (const auto it = results_.find(job); it != results_.end()) it->second.told = true;
}

void DoubtedResults::SpeakAgainst(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why) {
  for (const JobId job : jobs) {
    const auto it = results_.find(job);
    if (it == results_.end() || it->second.worker != worker || !it->second.why.empty()) continue;
    it->second.why = why.empty() ? "doubted" : why;
    doubted_.push_back(job);
  }
}

std::vector<Doubt> DoubtedResults::Take() {
  std::vector<Doubt> taken;
  std::erase_if(doubted_, [&](JobId job) {
    const auto it = results_.find(job);
    if (it == results_.end()) return true;
    if (it->second.told) taken.push_back({job, it->second.why});
    return it->second.told;
  });
  return taken;
}

}  // namespace hone
