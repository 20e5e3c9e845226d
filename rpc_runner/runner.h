// The entry to this room. Everything that times candidates is a Runner: on this machine, on a device, or in a test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/measurement.h"
#include "core/package/plan.h"
#include "core/tensor.h"
#include "rpc_runner/keys/key_paths.h"

namespace hone {

// A kernel job: a candidate's artifact, what to feed it, what to compare with, how to time. Tensors do not travel.
struct KernelJob {
  Artifact artifact;
  Artifact reference;  // the workload's; see CompileReference. A remote runner gets its bytes once, by hash
  // An output is right when |got - ref| <= tolerance * magnitude + 1e-7 (docs/why/design.md, Numbers).
  double tolerance = 2e-6;
  // One check per seed, whose inputs are drawn from a normal distribution. The last seed is checked after the timing,
  // on inputs that the kernel has not seen; the others before it. A single seed is checked before and after.
  std::vector<uint64_t> seeds;
  TimingPolicy timing;
  uint64_t group = 0;  // see JobGroup; 0 if none
  // The least that the kernel must compute; 0 if unknown. A time too short for them is a forgery.
  int64_t multiply_adds = 0;
};

// Bytes of a job that a remote runner gets once, by their hash.
struct Blob {
  std::string sha256;  // of the bytes, 64 hexadecimal digits
  int64_t size_bytes = 0;
  std::shared_ptr<const char> data = {};  // null if only the hash is known here, and if there are no bytes

  bool is_missing() const { return size_bytes > 0 && data == nullptr; }
  std::string_view bytes() const { return {data.get(), data == nullptr ? 0 : static_cast<size_t>(size_bytes)}; }
};

// A package job: a built model, run as a whole, with each call timed. Make one with MakePackageJob.
struct PackageJob {
  Plan plan;
  std::string lib;  // the ELF shared object with the plan's kernels
  // The params section. If absent, parameters of float32 and bfloat16 (IsRandomParam) get random numbers, which hardly
  // change the times. The buffers of the other parameters are then in exact_params, one after the other.
  std::optional<Blob> params = {};
  std::string exact_params = {};
  // The plan's inputs, row-major, one after the other. If absent, inputs are random, and indices are zero.
  std::optional<Blob> inputs = {};
  bool wants_outputs = false;  // whether the result has the outputs of the last run; if so, no run warms up
  int runs = 10;               // timed runs, 1 to kMaxPackageRuns; one more warms up
  TimingPolicy timing = {};    // only threads, deadline_ns and memory_bytes are used
  uint64_t group = 0;          // see JobGroup; 0 if none
};
inline constexpr int kMaxPackageRuns = 64;
constexpr bool IsRandomParam(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kBFloat16; }

// A job that runs a model file in one of the runtimes that a runner offers, in a process of its own. Each output is
// what the runtime says: no test has confirmed it.
struct RuntimeJob {
  std::string runtime;  // as the runner's --runtime names it
  std::map<std::string, std::string> settings = {};
  std::optional<Blob> model = {};   // an ONNX file without other files
  std::optional<Blob> inputs = {};  // JSON: a list of tensors of docs/reference/adapter.md
  bool wants_outputs = false;
  int64_t min_time_ns = 0;   // summed over the timed runs; 0: it runs once and is not timed
  TimingPolicy timing = {};  // only threads, memory_bytes and deadline_ns, of each answer, are used
  uint64_t group = 0;        // see JobGroup; 0 if none
};
inline constexpr int64_t kMostRuntimeNs = 10'000'000'000;  // of min_time_ns

// The runtime of a job, as it describes itself.
struct RuntimeFacts {
  std::string name, version;
  std::string precision;     // docs/reference/adapter.md
  int64_t memory_bytes = 0;  // by which its process grew; 0: unknown
  bool operator==(const RuntimeFacts&) const = default;
};

using JobId = uint64_t;  // chosen by the submitter, unique within its runner

// The parts of a job's measurement.wall_ns on the runner. The rest is fetching inputs, forking, loading and cleaning
// up.
struct JobCost {
  int64_t verify_ns = 0;  // running the reference and the checks, comparing
  int64_t timing_ns = 0;  // calibration and all rounds
  // For a package job: the least time of each of the plan's calls.
  std::vector<int64_t> calls_ns = {};
  bool operator==(const JobCost&) const = default;
};

struct JobResult {
  JobId id = 0;
  Measurement measurement;
  JobCost cost = {};  // zeros if the runner does not report it
  // The plan's outputs, row-major, one after the other. Only for a successful package job with wants_outputs. Of a
  // runtime job the JSON of a list of tensors.
  std::string outputs = {};
  std::optional<RuntimeFacts> runtime = {};  // of a successful runtime job
};

// A result that Wait returned earlier and that is not to be trusted after all.
struct SuspectResult {
  JobId id = 0;
  std::string why;  // "golden kernel 6.1 % slower than usual (arithmetic)"
};

// Why none of a runner's machines is in use.
struct RunnerAbsence {
  std::string why;  // `no runner left for the key "board"`
  // Time since a machine that could come was last known to exist, be it free or with another tuner.
  int64_t gone_ns = 0;
};

// Not thread-safe. A job never throws: a failure becomes the fate of its measurement.
class Runner {
 public:
  virtual ~Runner() = default;
  // The number of jobs that Submit takes without waiting.
  virtual int FreeSlots() const = 0;
  virtual JobId Submit(KernelJob job) = 0;
  // The measurement's samples are the times of whole runs. A runner that cannot run packages answers with the fate
  // Unsupported; this default throws Error(kNoRunner).
  virtual JobId SubmitPackage(PackageJob job);
  // Runs a model in another runtime, if the runner has it.
  virtual JobId SubmitRuntime(RuntimeJob job);
  // Waits at most timeout_ns (negative: without limit) for the next result, in order of completion. Returns false if
  // none came or no job is outstanding.
  virtual bool Wait(int64_t timeout_ns, JobResult* result) = 0;
  // The machine that the jobs run on. Throws Error(kNoRunner) if it cannot be asked.
  virtual Environment Describe() = 0;
  // The machines in use at this time, each running one job at a time. They are alike, but never quite equal. May be
  // empty for a while.
  virtual std::vector<Environment> Machines() { return {Describe()}; }
  // Why jobs wait, if all machines are gone since a second or longer; nullopt otherwise, and before the first machine.
  virtual std::optional<RunnerAbsence> Absence() { return std::nullopt; }
  // Results that became doubtful: measured since the last normal run of the golden kernel, on a machine where its next
  // run was slower. Each is returned once. Empty for runners without a golden kernel.
  virtual std::vector<SuspectResult> TakeSuspectResults() { return {}; }
  // Has every machine with new results run its golden kernel, and waits at most timeout_ns. TakeSuspectResults then
  // returns what that found. Call it while no job is outstanding.
  virtual void CheckHealth(int64_t /*timeout_ns*/) {}

 protected:
  friend class JobGroup;
  // See JobGroup; 0 if there is only one machine.
  virtual uint64_t OpenGroup() { return 0; }
  virtual void CloseGroup(uint64_t) {}
};

// While a group lives, all jobs with its number run on one machine, so that their times compare to within a percent. If
// that machine is lost, all unfinished and all later jobs of the group end as RunnerLost. Must not outlive its runner.
class JobGroup {
 public:
  explicit JobGroup(Runner& runner) : runner_(runner), number_(runner.OpenGroup()) {}
  ~JobGroup() { runner_.CloseGroup(number_); }
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;
  // For the field `group` of a job.
  uint64_t number() const { return number_; }

 private:
  Runner& runner_;
  const uint64_t number_;
};

// The executor on this machine, over a socketpair. Looks for the program hone-runner beside the running program, then
// in $HONE_RUNNER_PROGRAM. Throws Error(kNoRunner), naming both places, if neither has it. `cores`: the CPUs to time
// on; empty for all allowed ones. `measure_roofs`: measures the rooflines first, so that every environment it reports
// has Environment::roofs (RoofsTextOfThisMachine).
std::unique_ptr<Runner> MakeLocalRunner(const std::vector<int>& cores = {}, bool measure_roofs = false);

// Runners behind a tracker. Throws Error:
// - kNoRunner if no tracker answers, or no runner offers the key, within connect_timeout_ns;
// - kNotAuthorised if the tracker refuses this client or has another key than the known one;
// - kBadConfig as ClientSecurity does.
struct RemoteRunnerOptions {
  std::string tracker;  // "tcp://127.0.0.1:9190"
  std::string key;
  std::string client = "hone";  // shown by `hone devices`
  // The user for whom runners may be held; empty: login@host. With keys, the key's name is used instead.
  std::string user;
  int priority = 100;   // 0 to 255: the highest is served first
  bool direct = false;  // connect directly to runners that allow it, not through the tracker
  int64_t connect_timeout_ns = 5'000'000'000;
  // Jobs wait so long for another runner before their fate is RunnerLost, and Describe waits so long for a busy one. It
  // is longer than an unrenewed lease lasts.
  int64_t lost_timeout_ns = 30'000'000'000;
  // They wait at most so long if no runner that offers the key is known to exist.
  int64_t gone_timeout_ns = 30'000'000'000;
  // The most runners at once, all of the first one's kind (see MachineKind). They are leased as they become free. One
  // is given back while another tuner has at least two fewer.
  int max_runners = 16;
  ClientKeys keys = {};
};
std::unique_ptr<Runner> MakeRemoteRunner(const RemoteRunnerOptions& options);

}  // namespace hone
