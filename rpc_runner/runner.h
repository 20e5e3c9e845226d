// The runner's door: whoever times candidates is a Runner, near or far or in a test. Start here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/measurement.h"
#include "core/plan.h"
#include "core/tensor.h"
#include "rpc_runner/keys/key_options.h"

namespace hone {

// A kernel job: a candidate's artifact, what to feed it, what to compare with, how to time. Tensors do not travel.
struct KernelJob {
  Artifact artifact;
  Artifact reference;       // of the workload; see CompileReference. A remote runner gets its bytes once, by hash
  double tolerance = 2e-6;  // right is |got - ref| <= tolerance * magnitude + 1e-7 (see docs/design.md, Numbers)
  // One check per seed, inputs filled normally from it: the last after the timing on inputs the kernel has not seen,
  // the others before it. A single seed is checked before and after.
  std::vector<uint64_t> seeds;
  TimingPolicy timing;
  uint64_t group = 0;         // see JobGroup; 0: none
  int64_t multiply_adds = 0;  // that it cannot do without; 0: not told. A time that is too short for them is a forgery
};

// Bytes of a job that a remote runner gets once, by their hash.
struct Blob {
  std::string sha256;  // of the bytes, 64 hexadecimal digits
  int64_t size_bytes = 0;
  std::shared_ptr<const char> data = {};  // null while only their name is known here, and when there are none

  bool is_missing() const { return size_bytes > 0 && data == nullptr; }
  std::string_view bytes() const { return {data.get(), data == nullptr ? 0 : static_cast<size_t>(size_bytes)}; }
};

// A package job: a built model, run as a whole with a clock around every call. Make one with MakePackageJob.
struct PackageJob {
  Plan plan;
  std::string lib;  // the ELF shared object with the plan's kernels
  // The params section. Absent: parameters of float32 and bfloat16 (IsRandomParam) are filled with random numbers, on
  // which times hardly depend, and exact_params has the others' buffers, one after the other.
  std::optional<Blob> params = {};
  std::string exact_params = {};
  // The plan's inputs, row-major, one after the other. Absent: random, and indices zero.
  std::optional<Blob> inputs = {};
  bool wants_outputs = false;  // whether the result brings the outputs of the last run; then none is to warm up
  int runs = 10;               // after one to warm up; 1 to kMaxPackageRuns
  TimingPolicy timing = {};    // of it threads, deadline_ns and memory_bytes
  uint64_t group = 0;          // see JobGroup; 0: none
};
inline constexpr int kMaxPackageRuns = 64;
constexpr bool IsRandomParam(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kBFloat16; }

using JobId = uint64_t;  // the submitter's own, unique within its runner

// Where a job's measurement.wall_ns went on the runner; the rest is fetching inputs, forking, loading and cleaning up.
struct JobCost {
  int64_t verify_ns = 0;  // running the reference and the checks, comparing
  int64_t timing_ns = 0;  // calibration and all rounds
  // Of a package job: the least time of each of the plan's calls.
  std::vector<int64_t> calls_ns = {};
  bool operator==(const JobCost&) const = default;
};

struct JobResult {
  JobId id = 0;
  Measurement measurement;
  JobCost cost = {};  // zeros where the runner does not tell
  // The plan's outputs, row-major, one after the other: of a package job that wants them and went well.
  std::string outputs = {};
};

// A result that Wait has told and that is not to be believed any more.
struct Doubt {
  JobId id = 0;
  std::string why;  // "golden kernel 6.1 % slower than usual (arithmetic)"
};

// Not thread-safe. A job never throws: what goes wrong is its fate.
class Runner {
 public:
  virtual ~Runner() = default;
  // How many more jobs it will take now without making Submit wait.
  virtual int FreeSlots() const = 0;
  virtual JobId Submit(KernelJob job) = 0;
  // The measurement's samples are the times of whole runs. A runner that cannot answers with the fate Unsupported; this
  // one throws Error(kNoRunner).
  virtual JobId SubmitPackage(PackageJob job);
  // Waits at most timeout_ns (negative: as long as it takes) for the next result, in order of completion. False when
  // none came or none is under way.
  virtual bool Wait(int64_t timeout_ns, JobResult* result) = 0;
  // The machine behind it. Throws Error(kNoRunner) when it cannot be asked.
  virtual Environment Describe() = 0;
  // Those that it measures on now, one job at a time each: alike, but never quite the same. May be none for a while.
  virtual std::vector<Environment> Machines() { return {Describe()}; }
  // Results since the last run of the golden kernel that was as usual, of a machine that was slower in the next one;
  // each once. None where nobody looks.
  virtual std::vector<Doubt> TakeDoubts() { return {}; }
  // Has every machine look at itself, where that says more than its last look, and waits at most timeout_ns for what
  // TakeDoubts then has. Call it while no job is under way.
  virtual void LookAgain(int64_t /*timeout_ns*/) {}

 protected:
  friend class JobGroup;
  // See JobGroup; 0 where there is one machine anyway.
  virtual uint64_t OpenGroup() { return 0; }
  virtual void CloseGroup(uint64_t) {}
};

// While it lives, all jobs with its number run on one machine, so that their times may be compared to the percent. When
// that machine is lost, all of them that have not ended and all that follow end as RunnerLost. Must not outlive its
// runner.
class JobGroup {
 public:
  explicit JobGroup(Runner& runner) : runner_(runner), number_(runner.OpenGroup()) {}
  ~JobGroup() { runner_.CloseGroup(number_); }
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;
  // For KernelJob.group and PackageJob.group.
  uint64_t number() const { return number_; }

 private:
  Runner& runner_;
  const uint64_t number_;
};

// The executor on this machine, over a socketpair. Finds the hone-runner program beside the running program, else in
// $HONE_RUNNER_PROGRAM, else throws Error(kNoRunner) naming both places. `cores`: the CPUs to time on, empty for all
// allowed. `measure_roofs`: now, so that all that it tells has Environment::roofs (RoofsTextOfThisMachine).
std::unique_ptr<Runner> MakeLocalRunner(const std::vector<int>& cores = {}, bool measure_roofs = false);

// Runners behind a tracker. Throws Error: kNoRunner when no tracker answers within connect_timeout_ns, or when no
// runner offers the key within it; kNotAuthorised when the tracker does not let us in or has another key than is known;
// kBadConfig as ClientSecurity.
struct RemoteRunnerOptions {
  std::string tracker;  // "tcp://127.0.0.1:9190"
  std::string key;
  std::string client = "hone";  // shown by `hone devices`
  std::string user;             // for whom runners may be held; empty: login@host. With keys the key's name counts
  int priority = 100;           // 0 to 255: the highest is served first
  bool direct = false;          // dial runners that allow it, in place of speaking through the tracker
  int64_t connect_timeout_ns = 5'000'000'000;
  // Jobs wait so long for another runner before their fate is RunnerLost, and Describe for a busy one: longer than a
  // lease that nobody renews.
  int64_t lost_timeout_ns = 30'000'000'000;
  // At most so many runners at once, all of the first one's kind (see MachineKind). They are leased as they become free
  // and one is given back while another tuner has two fewer.
  int max_runners = 16;
  ClientKeys keys = {};
};
std::unique_ptr<Runner> MakeRemoteRunner(const RemoteRunnerOptions& options);

}  // namespace hone
