#include "rpc_runner/remote/suspect_results.h"

#include <algorithm>

namespace hone {

void SuspectResults::Add(WorkerId worker, JobId job) {
  results_[job].worker = worker;
  // Job numbers grow with time, so the first is the oldest.
  if (results_.size() > kMost) results_.erase(results_.begin());
}

void SuspectResults::MarkDelivered(JobId job) {
  if (const auto it = results_.find(job); it != results_.end()) it->second.delivered = true;
}

void SuspectResults::MarkSuspect(WorkerId worker, const std::vector<JobId>& jobs, const std::string& why) {
  for (const JobId job : jobs) {
    const auto it = results_.find(job);
    if (it == results_.end() || it->second.worker != worker || !it->second.why.empty()) continue;
    it->second.why = why.empty() ? "doubted" : why;
    suspects_.push_back(job);
  }
}

std::vector<SuspectResult> SuspectResults::Take() {
  std::vector<SuspectResult> taken;
  std::erase_if(suspects_, [&](JobId job) {
    const auto it = results_.find(job);
    if (it == results_.end()) return true;
    if (it->second.delivered) taken.push_back({job, it->second.why});
    return it->second.delivered;
  });
  return taken;
}

}  // namespace hone
