// Times every valid config of a task, in pieces: what was timed is in a store, and the next run goes on from there.
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
#include "tuner/search_space.h"
#include "tuner/trial.h"
#include "tuner/tune_tools.h"

namespace hone::bench {

// One thread, cold weights, five samples of at least 100 us; a timing is the least of them. Every config is timed
// twice, in two processes: where its buffers come to lie costs some configs a third of their speed. The fastest 5 %,
// whatever lies within 20 % of the best, and noisy ones are timed three times, and the kFinalists fastest kFinalTimes.
// A config's time is its least timing, of three or more the second: a shared machine has moments that are a tenth
// faster than it is at any other time, and whoever meets one must not be the best alone.
class SpaceRecorder {
 public:
  static constexpr int kTimes = 2;
  static constexpr int kNearTimes = 3;
  static constexpr size_t kFinalists = 64;
  static constexpr int kFinalTimes = 8;

  // Throws Error(kUsage) when this machine cannot run the target's code.
  SpaceRecorder(const Workload& workload, const Target& target, const std::string& store);
  // Goes on for about `seconds`. Returns how many timings are still wanted, as far as is known: 0 when it is complete.
  int64_t Record(double seconds);
  // Of what was timed; the rest is kFailed.
  RecordedSpace Written() const;

 private:
  struct Known {
    int times = 0;
    bool noisy = false;             // every time
    std::vector<int64_t> least_ns;  // of each timing that did not fail, sorted
    // 0: it failed.
    int64_t time_ns() const;
  };

  void Recall();
  void Learn(const std::string& key, const Measurement& measurement);
  std::vector<const SearchSpace::Ranked*> Wanted() const;
  // How often a config should be timed, by what is known.
  std::function<int(const Known&)> TimesFor() const;
  void Measure(const std::vector<const SearchSpace::Ranked*>& batch);
  void Compile(std::vector<Trial>& trials) const;

  Workload workload_;
  Target target_;
  SearchSpace space_;
  std::unique_ptr<RecordStore> store_;
  std::unique_ptr<Runner> runner_;
  TuneTools tools_;
  Artifact reference_;
  std::map<std::string, Known> known_;  // by key
};

}  // namespace hone::bench
