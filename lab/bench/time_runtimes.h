// Runtimes behind adapters on one model: their outputs are judged first, then they are timed in turns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/adapter/known_adapters.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/time_packages.h"
#include "lab/model/model.h"

namespace hone {

struct TimedRuntimesOptions {
  std::vector<AdapterCommand> commands;
  int64_t answer_ns = 120'000'000'000;
};

class TimedRuntimes {
 public:
  // Starts all of them, with as many CPUs as `threads`; 0: those of this machine. Throws Error as Adapter does.
  TimedRuntimes(const TimedRuntimesOptions& options, int threads);
  ~TimedRuntimes();

  // A row for each runtime in the order of the commands. `model` is timed; hone loads the package that was built of it.
  // A runtime that cannot load the model, or whose outputs differ, has no times and says why. Then the fastest is
  // marked: the one that each other is slower than. Each round has a process of its own. A runtime that fails while
  // they take turns has no times, either, and the others keep theirs.
  std::vector<RuntimeTimes> Time(const ModelOptions& model, const std::string& package,
                                 const TimePackagesOptions& timing, double smallest_effect);

 private:
  class Turn;

  int threads_;
  std::vector<std::unique_ptr<Turn>> turns_;
};

// Puts them into the result. The package that hone ran is also a result of its own, under the name `argument`.
void KeepRuntimes(std::vector<RuntimeTimes> runtimes, const std::string& argument, BenchResult& result);

// Marks the fastest of those that were timed and the fastest of each precision: each other one is slower by the test.
// Holds each against the one of the least times.
void MarkFastest(std::vector<RuntimeTimes>& runtimes, double smallest_effect);

// Verdicts on the first runtime against each other one that has times; none if the first has no times.
std::vector<Verdict> JudgeFirstRuntime(const std::vector<RuntimeTimes>& runtimes, double smallest_effect);

// "fastest", "1.80x the time", "1.29x the time, fastest in float32", "equivalent", "cannot tell", "not timed", or
// nothing of the one of the least times.
std::string RuntimeVerdict(const RuntimeTimes& runtime);
// A table with a row for each runtime, and then the notes.
std::string RuntimesText(const std::vector<RuntimeTimes>& runtimes, size_t columns);
// Lines on why a runtime was not timed and whose outputs are in doubt. Then one for each but that of the least
// times: "A is 1.80 times as fast as B (2.900 ms against 5.220 ms, p 0.002)".
std::string RuntimesNotes(const std::vector<RuntimeTimes>& runtimes);
// docs/reference/formats.md, "Bench result".
Json ToJson(const RuntimeTimes& runtime);

}  // namespace hone
