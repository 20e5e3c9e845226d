#include "tuner/elsewhere/other_tuners.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {

OtherTuners::OtherTuners(RecordStore& store, const MeasuredHere& here)
    : store_(store), here_(here), seen_(store.Arrived()) {}

std::string OtherTuners::Claim(const Workload& workload, const Proposal& proposal) const {
  const Setup& setup = here_.setup;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", setup.target.ToText(), setup.threads, setup.machine.ToText(),
                     CacheModeName(setup.cache), workload.ToText(), proposal.schedule, proposal.config.ToText());
}

std::vector<Proposal> OtherTuners::Propose(std::vector<TuningTask>& tasks, size_t task, size_t n) {
  const Workload& workload = tasks[task].workload();
  std::vector<Proposal> taken;
  while (taken.size() < n) {
    std::vector<Proposal> proposals = tasks[task].Propose(static_cast<int>(n - taken.size()));
    if (proposals.empty()) break;
    std::erase_if(proposals, [&](const Proposal& p) { return !store_.claims().Take(Claim(workload, p)); });
    // Reads news after the claims: a tuner that has released a claim already has its record in the store.
    const std::set<std::string> news = LearnNews(tasks);
    for (const Proposal& proposal : proposals) {
      const std::string claim = Claim(workload, proposal);
      if (news.contains(claim)) {
        store_.claims().Release(claim);
        continue;
      }
      ours_.insert(claim);
      taken.push_back(proposal);
    }
  }
  return taken;
}

void OtherTuners::Release(const Trial& trial) {
  store_.claims().Release(Claim(trial.candidate.workload, trial.proposal));
}

// Returns the claims of everything learnt.
std::set<std::string> OtherTuners::LearnNews(std::vector<TuningTask>& tasks) {
  RecordQuery query;
  query.threads = here_.setup.threads;
  query.cache = here_.setup.cache;
  query.after = seen_;
  query.until = store_.Arrived();
  if (query.until == seen_) return {};
  seen_ = query.until;
  std::set<std::string> learnt;
  for (const Record& record : store_.Find(query)) {
    const Candidate& candidate = record.candidate;
    const auto task =
        std::find_if(tasks.begin(), tasks.end(), [&](const auto& t) { return t.workload() == candidate.workload; });
    if (task == tasks.end() || !CountsHere(record, task->space(), here_)) continue;
    const Proposal proposal{candidate.schedule, candidate.config};
    if (record.finals.place == 1) task->finals.incumbent = proposal;
    const std::string claim = Claim(candidate.workload, proposal);
    if (ours_.contains(claim)) continue;
    task->Learn(proposal, record.measurement);
    learnt.insert(claim);
  }
  return learnt;
}

}  // namespace hone
