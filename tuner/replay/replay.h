// Repeats a tuning run from its records, without hardware.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/schedules/schedule.h"
#include "db/record.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"

namespace hone {

// Like Tune, on the machine and at the pace of the recording, which stays unchanged. With the recorded run's options
// it makes the same decisions, because it knows what the store held when that run began. With other options it begins
// with nothing and finds any record of a candidate. Throws Error(kNoRunner) when the recording has no trial of the
// target, thread count and cache mode. Throws Error(kBadData) when all its trials are of other versions of their
// schedules.
TuneReport Replay(const std::vector<Task>& tasks, const TuneOptions& options, const RecordStore& recording,
                  const std::function<void(const TuneEvent&)>& observe = nullptr,
                  const std::atomic<bool>* stop = nullptr);

// Replay with tools.schedules to search; for tests.
TuneReport ReplayWith(const std::vector<const Schedule*>& schedules, const std::vector<Task>& tasks,
                      const TuneOptions& options, const RecordStore& recording,
                      const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop);

// Answers a candidate with its recorded measurements of the requested least number of samples, in the order of
// recording; the last one repeats. The search and the finals differ in that number. A candidate without a record gets
// kCancelled, so that a tuning run drops it as if it had not been proposed. Time is recorded time: a job takes as long
// as it took then, or kUnknownNs without a record.
class ReplayRunner : public Runner {
 public:
  static constexpr int64_t kUnknownNs = 1'000'000'000;

  // The records must be of one target, thread count and cache mode, in the order of recording. Throws Error(kNoRunner)
  // if there are none.
  explicit ReplayRunner(const std::vector<Record>& records);

  // The artifact's ELF holds the candidate's name for Submit. Returns a rejection when the compiler had refused it.
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

// Tools that compile, wait and tell the time through the runner, which must outlive them. No overlap.
TuneTools ReplayTools(ReplayRunner& runner);

}  // namespace hone
