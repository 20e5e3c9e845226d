// The times of one package, and the loading, warming up and CPU time of each round that takes them.
#pragma once

#include <time.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "lab/model/extents.h"
#include "lab/model/inputs.h"
#include "runtime/load/mapped_bytes.h"
#include "runtime/package.h"
#include "runtime/session.h"

namespace hone {

// A benchmark has at most this many rounds of a package. A runner's jobs beyond it are gathered into fewer rounds.
inline constexpr int kMostBenchRounds = 100;

// In a round a package is loaded anew and runs in memory of its own. So the effect of its place in memory on its times
// varies between rounds. A round is one observation, because its samples share that place and that moment.
struct Round {
  int64_t p10_ns = 0, median_ns = 0;  // of its samples
  int64_t runs = 0;
  int64_t cpu_ns = 0;          // CPU time of all threads per run; 0: unknown
  double runs_per_second = 0;  // of all streams together
};

struct TimedPackage {
  std::string path;
  int threads = 0;  // of each stream
  int streams = 1;  // sessions that ran at once
  int64_t runs = 0;
  int64_t batch = 1;                // runs in a sample; the last of a round may have fewer
  std::vector<int64_t> samples_ns;  // of one run, of all rounds
  std::vector<Round> rounds;
  bool settled = true;           // whether each round's warm-up ended because times were steady
  std::vector<int64_t> call_ns;  // median of each plan call; empty without profiled runs
  double joules_per_run = 0;     // energy that the machine used; 0: not measured
  Extents extents = {};          // of its free dimensions, at which it was timed
  std::shared_ptr<const Package> package;
};

// The round of these samples, each the time of one run. cpu_ns and wall_ns are of all runs together.
Round RoundOf(const std::vector<int64_t>& samples_ns, int64_t runs, int64_t cpu_ns, int64_t wall_ns);
// The times that verdicts compare, in the order of rounds: each round's p10_ns. With `throughput` it is the elapsed
// time over the number of runs that all streams did in it.
std::vector<int64_t> RoundTimes(const TimedPackage& timed, bool throughput);

// Loads packages anew for each round of a benchmark.
// One file, loaded repeatedly into different memory, and sessions with the same inputs. The bytes are copied because
// the system keeps a file in the same pages as long as it caches it. Their placement alone makes one of two equal files
// slower.
class LoadedAnew {
 public:
  // Reads the file; throws Error as Package::Load and MakeInputs do.
  LoadedAnew(const std::string& path, const InputOptions& inputs);

  // The package as first loaded, for what it says of itself.
  const std::shared_ptr<const Package>& first() const { return first_; }
  // The extents of its free dimensions in the inputs.
  Extents extents() const { return ExtentsOf(InputSpecs(*first_), inputs_); }
  std::shared_ptr<const Package> Load() const;
  std::unique_ptr<Session> Start(const std::shared_ptr<const Package>& package, const SessionOptions& options) const;

 private:
  const std::string path_, bytes_;
  const InputShapes shapes_;
  std::shared_ptr<const Package> first_;
  std::map<std::string, Tensor> inputs_;
};

// Allocates memory of a random size and returns it, so that later mappings lie at another place than the last time.
MappedBytes TakeGap(Random& random);

// Decides when the runs before the timed ones may end.
// A package's first runs take longer: pages are touched for the first time, caches are cold, clocks rise. Add() reports
// each run. The warm-up is over after `most_ns`, or after `least_ns` once runs do not become faster. They do not when
// the least of the last five is at most 2 % below the least of the five before.
class WarmUp {
 public:
  WarmUp(int64_t least_ns, int64_t most_ns) : least_ns_(least_ns), most_ns_(most_ns) {}
  // `runs` took run_ns each.
  void Add(int64_t run_ns, int64_t runs = 1);
  bool over() const { return settled() || spent_ns_ >= most_ns_; }
  bool settled() const;
  // The least of the runs so far, which is the least disturbed; 0 before the first.
  int64_t run_ns() const { return runs_ > 0 ? least_run_ns_ : 0; }

 private:
  static constexpr int64_t kWindow = 5;

  const int64_t least_ns_, most_ns_;
  int64_t spent_ns_ = 0, runs_ = 0, least_run_ns_ = 0;
  std::array<int64_t, 2 * kWindow> last_{};  // run i at i modulo its size
};

// CPU time of all threads so far.
inline int64_t ProcessCpuNs() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return int64_t{1'000'000'000} * spent.tv_sec + spent.tv_nsec;
}

}  // namespace hone
