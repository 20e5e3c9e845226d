// A runner that answers from measurements that were recorded: a search without hardware.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "db/record.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"

namespace hone {

// Answers a candidate with its recorded measurements of the asked least number of samples (the search's and the finals'
// differ in it) in the order of recording, the last one again and again. The fate of a candidate without one is
// kCancelled, which makes a tuning run drop it as if it had not been proposed. Time is the recorded time: a job takes
// what it took when it was recorded, kUnknownNs when it has no record.
class ReplayRunner : public Runner {
 public:
  static constexpr int64_t kUnknownNs = 1'000'000'000;

  // Of one target, thread count and cache mode, in the order of recording. Throws Error(kNoRunner) when there is none.
  explicit ReplayRunner(const std::vector<Record>& records);

  // The candidate's artifact is its name for Submit; a rejection when the compiler had refused it.
  std::variant<Artifact, Rejection> Compile(const Candidate& candidate);
  int64_t now_ns() const { return now_ns_; }
  void Sleep(int64_t ns) { now_ns_ += ns; }

  int FreeSlots() const override { return queue_.empty() ? 1 : 0; }
  JobId Submit(KernelJob job) override;
  bool Wait(int64_t timeout_ns, JobResult* result) override;
  Environment Describe() override { return environment_; }

 private:
  struct Answer {
    Measurement measurement;
    std::string artifact_sha256;  // empty: the compiler refused it
  };
  std::map<std::string, std::map<int, std::deque<Answer>>> answers_;  // by candidate and least number of samples
  Environment environment_;
  struct Asked {
    JobId id = 0;
    std::string name;
    int samples = 0;
  };
  std::deque<Asked> queue_;
  JobId next_ = 1;
  int64_t now_ns_ = 0;
};

// Compiles, waits and tells the time through the runner, which must outlive them. No overlap.
TuneTools ReplayTools(ReplayRunner& runner);

}  // namespace hone
