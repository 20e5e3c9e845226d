// The model with one finalist or another of every task.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config_source.h"
#include "core/plan.h"
#include "db/record_store.h"
#include "tuner/strategy.h"

namespace hone {

// By workload text: the finalists of the run's last finals, the winner first, with all records of those finals.
struct FinalistsOf {
  std::vector<Proposal> proposals;  // never empty
  std::vector<Record> records;
};
using AllFinalists = std::map<std::string, FinalistsOf>;

// Those of the run `session` that `machine` timed, none more than 5 % slower than the winner and at most `most` a
// workload. One whose place was decided in the built model already has no rivals any more: it comes alone.
AllFinalists FindFinalists(const RecordStore& store, const std::string& session, const Fingerprint& machine,
                           size_t most);

// Gives each workload the proposal that it is told; others get the analytic default. Source "finals".
class ProposalSource : public ConfigSource {
 public:
  explicit ProposalSource(std::map<std::string, Proposal> proposals) : proposals_(std::move(proposals)) {}
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;

 private:
  std::map<std::string, Proposal> proposals_;
};

// The sum of its calls' times, by workload text. calls_ns is of the plan's calls.
std::map<std::string, int64_t> NsByWorkload(const Plan& plan, const std::vector<int64_t>& calls_ns);

}  // namespace hone
