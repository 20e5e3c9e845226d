// Variants of the model, each with one finalist of every task.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/candidate.h"
#include "core/package/plan.h"
#include "db/record_store.h"
#include "tuner/search/strategy.h"

namespace hone {

// For one workload: the finalists of the run's last finals, the winner first, with all records of those finals.
struct FinalistsOf {
  std::vector<Proposal> proposals;  // never empty
  std::vector<Record> records;
};
using AllFinalists = std::map<std::string, FinalistsOf>;

// Finalists of the run `session` that `machine` timed, by workload text: the winner, the incumbent, then others that
// are at most 5 % slower than the winner. The incumbent may be far behind, because it may still be faster in the
// network. A workload has at most `most`. A winner that was already decided in the built model has no rivals, so it is
// the only finalist.
AllFinalists FindFinalists(const RecordStore& store, const std::string& session, const Fingerprint& machine,
                           size_t most);

// Gives each workload its given proposal; others get the analytic default. Choices have the source "finals".
class ProposalSource : public ConfigSource {
 public:
  explicit ProposalSource(std::map<std::string, Proposal> proposals) : proposals_(std::move(proposals)) {}
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;

 private:
  std::map<std::string, Proposal> proposals_;
};

// The sum of each workload's call times, by workload text. calls_ns has one time per call of the plan.
std::map<std::string, int64_t> NsByWorkload(const Plan& plan, const std::vector<int64_t>& calls_ns);

}  // namespace hone
