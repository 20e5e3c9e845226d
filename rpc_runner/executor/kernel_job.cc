#include "rpc_runner/executor/kernel_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/artifact.h"
#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "rpc_runner/executor/child_process.h"
#include "rpc_runner/executor/job_data.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/judge/judge_results.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/job_message.h"
#include "runtime/session.h"

namespace hone {
namespace {

// Adds the time until its destruction to *sum.
class Stopwatch {
 public:
  explicit Stopwatch(int64_t* sum_ns) : sum_ns_(sum_ns), begin_ns_(MonotonicNs()) {}
  ~Stopwatch() { *sum_ns_ += MonotonicNs() - begin_ns_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  int64_t begin_ns() const { return begin_ns_; }

 private:
  int64_t* const sum_ns_;
  const int64_t begin_ns_;
};

// One candidate's child, from its first check to its last. Each step returns false once the measurement is final.
class Trial {
 public:
  // Writes to the result's measurement and cost. All arguments must outlive it. `roof`: null if there is none.
  Trial(const KernelJob& job, const ChildTask& task, std::vector<std::shared_ptr<SharedRegion>> expected,
        Nursery& nursery, CoreLock& lock, ArithmeticRoof* roof, JobResult* result)
      : job_(job),
        task_(task),
        expected_(std::move(expected)),
        lock_(lock),
        roof_(roof),
        child_(task, nursery),
        result_(result->measurement),
        cost_(result->cost) {}

  void Judge() {
    if (!child_.WaitReady()) {
      Take(child_.ending());
      return;
    }
    const int last = static_cast<int>(expected_.size()) - 1;
    bool good = true;
    for (int seed = 0; good && seed < std::max(last, 1); ++seed) good = Check(seed);
    if (good && !(Time() && Check(last))) {
      // A kernel that turned out wrong has no time.
      result_.samples_ns.clear();
      result_.batch.clear();
    }
  }

 private:
  void Take(const Ending& ending) {
    result_.fate = ending.fate;
    result_.detail = ending.detail;
    result_.message = ending.message;
  }

  bool Fail(Fate fate, int32_t detail, std::string message) {
    Take({fate, detail, std::move(message)});
    return false;
  }

  // The child's answer; nullopt if there is none or the kernel did not return 0.
  std::optional<ChildNote> Ask(CommandKind kind, int seed) {
    std::optional<ChildNote> note = child_.Ask(kind, seed);
    if (!note) {
      Take(child_.ending());
    } else if (note->code != 0) {
      Fail(Fate::kCrashed, note->code, fmt::format("a stage returned {}", note->code));
      note.reset();
    } else if (!task_.outputs[0]->CanaryHolds()) {
      const int operand = static_cast<int>(job_.artifact.operands.size()) - 1;
      Fail(Fate::kOutOfBounds, operand, "it wrote beside its output");
      note.reset();
    }
    return note;
  }

  bool Check(int seed) {
    const Stopwatch watch(&cost_.verify_ns);
    SharedRegion& output = *task_.outputs[0];
    output.Poison(kPoison);
    return Ask(CommandKind::kRun, seed) && Compare(seed);
  }

  bool Compare(int seed) {
    SharedRegion& output = *task_.outputs[0];
    const DType dtype = job_.artifact.operands.back().dtype;
    const auto* expected = reinterpret_cast<const double*>(expected_[static_cast<size_t>(seed)]->data());
    const double worst =
        WorstError(output.data(), dtype, output.size_bytes() / DTypeBytes(dtype), expected, job_.tolerance);
    result_.worst_error = std::max(result_.worst_error, worst);
    if (worst <= 1) return true;
    return Fail(Fate::kWrongOutput, 0, fmt::format("its worst error is {:.3g} times the bound", worst));
  }

  bool Time() {
    const int seed = std::max(0, static_cast<int>(expected_.size()) - 2);
    const std::optional<ChildNote> note = AskTimes(seed);
    if (!note) return false;
    // The output of the last timed run is checked too.
    const Stopwatch watch(&cost_.verify_ns);
    if (Compare(seed)) return true;
    result_.message = "when it was timed " + result_.message;
    return false;
  }

  std::optional<ChildNote> AskTimes(int seed) {
    const int64_t asked_ns = MonotonicNs();
    const CoreTurn turn(lock_, kMostTurnNs);
    child_.Extend(MonotonicNs() - asked_ns);
    const Stopwatch watch(&cost_.timing_ns);
    std::optional<ChildNote> note = Ask(CommandKind::kTime, seed);
    if (note && !TakeTimes(*note, MonotonicNs() - watch.begin_ns())) note.reset();
    result_.noisy = result_.noisy || !turn.alone();
    return note;
  }

  bool TakeTimes(const ChildNote& note, int64_t wall_ns) {
    if (!AreBelievable(note, wall_ns)) {
      return Fail(Fate::kPolicyViolation, 0, "its process reported times that cannot be");
    }
    const int64_t shortest_ns = *std::min_element(note.samples_ns, note.samples_ns + note.samples);
    if (IsTooShort(shortest_ns)) {
      return Fail(Fate::kPolicyViolation, 0,
                  fmt::format("its process reported {} ns for what takes {:.0f} ns or more on this machine",
                              shortest_ns, LeastNs()));
    }
    result_.samples_ns.assign(note.samples_ns, note.samples_ns + note.samples);
    result_.batch.assign(note.batch, note.batch + note.samples);
    result_.noisy = note.noisy != 0;
    return true;
  }

  double LeastNs() const { return roof_->LeastNs(job_.multiply_adds, job_.timing.threads, IsFloat32(job_.artifact)); }

  // Measures the roof again before it convicts, because it may have been too low while other processes were busy.
  bool IsTooShort(int64_t ns) {
    if (roof_ == nullptr || job_.multiply_adds <= 0) return false;
    if (LeastNs() > 0 && static_cast<double>(ns) >= LeastNs()) return false;
    roof_->Measure();
    return static_cast<double>(ns) < LeastNs();
  }

  const KernelJob& job_;
  const ChildTask& task_;
  const std::vector<std::shared_ptr<SharedRegion>> expected_;
  CoreLock& lock_;
  ArithmeticRoof* const roof_;
  ChildProcess child_;
  Measurement& result_;
  JobCost& cost_;
};

}  // namespace

std::shared_ptr<SharedRegion> KernelJobRunner::OutputRegion(int64_t bytes) {
  if (output_ == nullptr || output_->size_bytes() != bytes) output_ = std::make_shared<SharedRegion>(bytes);
  return output_;
}

void KernelJobRunner::RunChecked(const KernelJob& job, const std::string& reference_name, JobResult* result) {
  if (std::string why = CheckJob(job, cores_); !why.empty()) {
    result->measurement = FailedMeasurement(Fate::kUnsupported, 0, why);
    return;
  }
  const int64_t needed = NeededBytes(job.artifact, job.timing.threads);
  if (needed > job.timing.memory_bytes) {
    result->measurement = FailedMeasurement(
        Fate::kOutOfMemory, 0, fmt::format("it needs {} bytes, {} are allowed", needed, job.timing.memory_bytes));
    return;
  }
  const int64_t ours = ExecutorBytes(job);
  if (ours > caps_.memory_bytes - needed) {
    result->measurement = FailedMeasurement(
        Fate::kOutOfMemory, 0,
        fmt::format("its inputs and expected outputs take {} bytes, it needs {} and this runner's --max-memory is {}",
                    ours, needed, caps_.memory_bytes));
    return;
  }
  const int64_t references_end_ns = MonotonicNs() + 2 * caps_.deadline_ns;
  // Equal bytes with another description compute something else.
  const std::string name = Sha256Hex(reference_name + DumpJson(ToJson(job.reference)));
  const KernelOperand& output = job.artifact.operands.back();
  ChildTask task;
  task.artifact = &job.artifact;
  task.timing = job.timing;
  // The inputs of all seeds are in the child's address space, though they belong to the executor.
  const int64_t seeds = static_cast<int64_t>(job.seeds.size());
  task.timing.memory_bytes = std::min(job.timing.memory_bytes, caps_.memory_bytes - ours + seeds * needed);
  task.pin = pin_;
  std::vector<std::shared_ptr<SharedRegion>> expected;
  for (uint64_t seed : job.seeds) {
    auto& inputs = task.inputs.emplace_back();
    for (size_t i = 0; i + 1 < job.artifact.operands.size(); ++i) {
      inputs.push_back(InputFor(cache_, job.artifact.operands[i], i, seed));
    }
    const Stopwatch watch(&result->cost.verify_ns);
    const ReferenceRun reference{&job.reference, name, cores_, std::max<int64_t>(1, references_end_ns - MonotonicNs()),
                                 caps_.memory_bytes};
    expected.push_back(ExpectedFor(cache_, reference, output, seed, nursery_));
  }
  task.outputs.push_back(OutputRegion(PhysicalBytes(output)));
  Trial(job, task, std::move(expected), nursery_, lock_, roof_ ? &*roof_ : nullptr, result).Judge();
  // The cpuset may have shrunk since the start, so that threads or other processes share the remaining cores.
  if (AllowedCores() < cores_) result->measurement.noisy = true;
}

JobResult KernelJobRunner::Run(const KernelJob& job, const std::string& reference_name) {
  return JudgeJob([&](JobResult* result) { RunChecked(job, reference_name, result); });
}

}  // namespace hone
