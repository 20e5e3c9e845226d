// Times every valid config of a task in pieces. Timings are kept in a store, from which the next run continues.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/tuner/recorded_space.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/search/search_space.h"
#include "tuner/tune_tools.h"
#include "tuner/tuning_task.h"

namespace hone::bench {

// Uses one thread, cold weights and five samples of at least 100 us; a timing is the least of them. Every config is
// timed twice, in two processes, because the placement of its buffers costs some configs a third of their speed. Three
// kinds are timed three times: the fastest 5 %, all within 20 % of the best, and noisy ones. The kFinalists fastest are
// timed kFinalTimes times.
// A config's time is its least timing, but with three or more the second least. A shared machine has moments in which
// it is a tenth faster than otherwise, and one such moment must not decide the best.
class SpaceRecorder {
 public:
  static constexpr int kTimes = 2;
  static constexpr int kNearTimes = 3;
  static constexpr size_t kFinalists = 64;
  static constexpr int kFinalTimes = 8;

  // Throws Error(kUsage) if this machine cannot run the target's code.
  SpaceRecorder(const Workload& workload, const Target& target, const std::string& store);
  // Continues for about `seconds`. Returns the number of timings known to be missing; 0 if complete.
  int64_t Record(double seconds);
  // The recorded space; untimed configs are kFailed.
  RecordedSpace Written() const;

 private:
  struct Known {
    int times = 0;
    bool noisy = false;             // in every timing
    std::vector<int64_t> least_ns;  // of each timing that did not fail, sorted
    // 0 if it failed.
    int64_t time_ns() const;
  };

  void Recall();
  void Learn(const std::string& key, const Measurement& measurement);
  std::vector<const SearchSpace::Ranked*> Wanted() const;
  // Returns how often a config should be timed, given the present timings.
  std::function<int(const Known&)> TimesFor() const;
  void Measure(const std::vector<const SearchSpace::Ranked*>& wanted);

  Workload workload_;
  Target target_;
  std::vector<TuningTask> tasks_;  // the one
  const SearchSpace& space_;
  std::unique_ptr<RecordStore> store_;
  std::unique_ptr<Runner> runner_;
  TuneTools tools_;
  std::map<std::string, Known> known_;  // by key
};

}  // namespace hone::bench
