#include "lab/bench/time_runtimes_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "compiler/codegen/target/machine_target.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/version.h"
#include "lab/adapter/adapter_tensor.h"
#include "lab/adapter/judged_model.h"
#include "lab/bench/start_order.h"
#include "lab/bench/time_runtimes.h"
#include "lab/files/fresh_file.h"
#include "lab/machine/device_name.h"
#include "lab/machine/machine.h"
#include "lab/machine/package_there.h"
#include "lab/model/build_model.h"

namespace hone {
namespace {

constexpr int kMostJobsOfRound = 16;

int64_t Sum(const std::vector<int64_t>& samples_ns) {
  return std::accumulate(samples_ns.begin(), samples_ns.end(), int64_t{0});
}

Blob BlobOf(std::string bytes) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  return {Sha256Hex(*kept), static_cast<int64_t>(kept->size()), {kept, kept->data()}};
}

// A runtime's jobs on the runner, and its row.
class TurnThere {
 public:
  TurnThere(const AskedRuntime& asked, int threads) {
    row_.name = row_.timed.path = asked.text;
    row_.timed.threads = threads;
  }
  virtual ~TurnThere() = default;

  // Judges the outputs of a first run.
  void Prepare(JudgedModel& model) {
    Try([&] {
      const JudgedOutputs judged = model.Judge(Outputs(), row_.precision);
      row_.error = judged.error;
      row_.allowed = judged.allowed;
      (judged.finding == JudgedOutputs::Finding::kDiffer ? row_.why_not : row_.doubt) = judged.why;
    });
  }

  void TakeRound(int64_t min_time_ns) {
    Try([&] {
      std::vector<int64_t> samples_ns;
      for (int job = 0; job < kMostJobsOfRound && (job == 0 || spent_ns_ < min_time_ns); ++job) {
        const std::vector<int64_t> of_job = Run(min_time_ns);
        samples_ns.insert(samples_ns.end(), of_job.begin(), of_job.end());
      }
      spent_ns_ = 0;
      row_.timed.rounds.push_back(RoundOf(samples_ns, static_cast<int64_t>(samples_ns.size()), 0, Sum(samples_ns)));
      row_.timed.samples_ns.insert(row_.timed.samples_ns.end(), samples_ns.begin(), samples_ns.end());
    });
  }

  bool is_sound() const { return row_.why_not.empty(); }
  RuntimeTimes& row() { return row_; }

 protected:
  virtual std::vector<Tensor> Outputs() = 0;
  // The time of a run for each sample of one job.
  virtual std::vector<int64_t> Run(int64_t min_time_ns) = 0;

  RuntimeTimes row_;
  int64_t spent_ns_ = 0;  // in runs of the round

 private:
  // A failure here is this runtime's alone, unless the runner is gone.
  template <typename Step>
  void Try(const Step& step) {
    if (!is_sound()) return;
    try {
      step();
    } catch (const Error& error) {
      if (error.code() == ExitCode::kNoRunner) throw;
      row_.why_not = error.what();
      row_.timed.rounds.clear();
      row_.timed.samples_ns.clear();
    }
  }
};

class HoneThere final : public TurnThere {
 public:
  HoneThere(const AskedRuntime& asked, PackageThere there, const std::map<std::string, Tensor>& inputs, uint64_t group,
            Runner& runner)
      : TurnThere(asked, there.threads), there_(std::move(there)), inputs_(inputs), runner_(runner) {
    row_.is_hone = true;
    row_.timed.path = fmt::format("hone {}", HoneVersion());
    const std::string precision = PrecisionOf(there_.package->plan());
    row_.precision = precision.find("bfloat16") != std::string::npos ? "bfloat16" : "float32";
    job_ = JobWith(there_, inputs_, 1);
    job_.group = group;
  }

 private:
  std::vector<Tensor> Outputs() override {
    RanThere ran = RunThere(there_, inputs_, runner_);
    run_ns_ = std::max<int64_t>(1, ran.run_ns);
    return std::move(ran.outputs);
  }

  std::vector<int64_t> Run(int64_t min_time_ns) override {
    job_.runs = static_cast<int>(std::clamp<int64_t>(min_time_ns / run_ns_ + 1, 1, kMaxPackageRuns));
    runner_.SubmitPackage(job_);
    JobResult result;
    if (!runner_.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
    RequireOk(row_.timed.path, result);
    std::vector<int64_t> samples_ns = std::move(result.measurement.samples_ns);
    run_ns_ = std::max<int64_t>(1, Sum(samples_ns) / job_.runs);
    spent_ns_ += Sum(samples_ns);
    row_.timed.runs += job_.runs;
    return samples_ns;
  }

  const PackageThere there_;
  const std::map<std::string, Tensor> inputs_;
  Runner& runner_;
  PackageJob job_;
  int64_t run_ns_ = 1;
};

class AdapterThere final : public TurnThere {
 public:
  AdapterThere(const AskedRuntime& asked, RuntimeJob job, Runner& runner)
      : TurnThere(asked, job.timing.threads), job_(std::move(job)), runner_(runner) {}

 private:
  JobResult RunJob() {
    runner_.SubmitRuntime(job_);
    JobResult result;
    if (!runner_.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
    const Measurement& m = result.measurement;
    if (m.fate == Fate::kRunnerLost || m.fate == Fate::kCancelled) throw Error(ExitCode::kNoRunner, m.message);
    if (m.fate != Fate::kOk) throw Error(ExitCode::kAnswerIsNo, m.message);
    if (!result.runtime) throw Error(ExitCode::kBadData, "the runner does not say what it ran");
    return result;
  }

  std::vector<Tensor> Outputs() override {
    job_.wants_outputs = true;
    const JobResult result = RunJob();
    job_.wants_outputs = false;
    row_.timed.path = fmt::format("{} {}", result.runtime->name, result.runtime->version);
    std::string settings;
    for (const auto& [name, value] : job_.settings) settings += (settings.empty() ? "" : ", ") + name + "=" + value;
    if (!settings.empty()) row_.timed.path += fmt::format(" ({})", settings);
    row_.precision = result.runtime->precision;
    return FromAdapterTensors(ParseJson(result.outputs, "the outputs of " + row_.timed.path));
  }

  std::vector<int64_t> Run(int64_t min_time_ns) override {
    job_.min_time_ns = std::clamp<int64_t>(min_time_ns, 1, kMostRuntimeNs);
    const JobResult result = RunJob();
    const Measurement& m = result.measurement;
    for (size_t i = 0; i < std::min(m.samples_ns.size(), m.batch.size()); ++i) {
      spent_ns_ += m.samples_ns[i] * m.batch[i];
      row_.timed.runs += m.batch[i];
    }
    row_.memory_bytes = std::max(row_.memory_bytes, result.runtime->memory_bytes);
    return m.samples_ns;
  }

  RuntimeJob job_;
  Runner& runner_;
};

BuildContext ContextThere(const RuntimesThereOptions& options, const Environment& machine) {
  BuildContext context = options.context;
  context.target = TargetOf(machine);
  context.threads = options.timing.threads > 0 ? options.timing.threads : machine.cores;
  const std::string why_not = WhyNotOn(machine, context.target, context.threads);
  if (!why_not.empty()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} cannot time this: {}", RunnerName(machine), why_not));
  }
  return context;
}

RuntimeJob JobFor(const AskedRuntime& asked, const Blob& model, const Blob& inputs, int threads, uint64_t group,
                  int64_t answer_ns) {
  RuntimeJob job{asked.runtime, asked.settings, model, inputs};
  job.timing.threads = threads;
  job.timing.deadline_ns = answer_ns;
  job.timing.memory_bytes = int64_t{1} << 40;  // what the runner allows
  job.group = group;
  return job;
}

// Asks on behalf of the runtimes as TimePackages asks on behalf of packages.
bool GoesOn(const TimePackagesOptions& timing, const std::vector<std::unique_ptr<TurnThere>>& turns) {
  if (!timing.goes_on) return false;
  std::vector<TimedPackage> timed;
  for (const auto& turn : turns) timed.push_back(turn->row().timed);
  return timing.goes_on(timed);
}

void TakeRounds(const TimePackagesOptions& timing, const std::vector<std::unique_ptr<TurnThere>>& turns) {
  const int rounds = std::max(1, timing.rounds);
  StartOrder order(turns.size());
  int round = 0;
  do {
    for (const int end = std::max(rounds, 2 * round); round < end; ++round) {
      timing.progress(round);
      for (const size_t i : order.Next()) turns[i]->TakeRound(timing.min_time_ns / rounds);
    }
  } while (2 * round <= kMostBenchRounds && GoesOn(timing, turns));
}

}  // namespace

std::vector<RuntimeTimes> TimeRuntimesThere(const RuntimesThereOptions& options, Runner& runner, Environment* machine) {
  *machine = runner.Describe();
  const BuildContext context = ContextThere(options, *machine);
  const TemporaryPackage package(
      BuildModel(LoadModel(options.model).typed, {context, false, FingerprintOf(*machine)}, options.records)
          .result.package);
  const std::shared_ptr<const Package> inspected =
      Package::Inspect(package.path(), nullptr, ShapesAsked(options.timing.inputs, package.path()));
  JudgedModel model(options.model, *inspected, options.timing.inputs);
  const Blob file = BlobOf(model.OneFile()), inputs = BlobOf(DumpJson(model.AdapterInputs()));
  const JobGroup group(runner);
  std::vector<std::unique_ptr<TurnThere>> turns;
  for (const AskedRuntime& asked : options.runtimes) {
    if (asked.runtime == kHoneRuntime) {
      const PackageThere there = ForMachine(package.path(), inspected, context.threads, *machine);
      turns.push_back(std::make_unique<HoneThere>(asked, there, model.inputs(), group.number(), runner));
    } else {
      RuntimeJob job = JobFor(asked, file, inputs, context.threads, group.number(), options.answer_ns);
      turns.push_back(std::make_unique<AdapterThere>(asked, std::move(job), runner));
    }
    turns.back()->Prepare(model);
  }
  TakeRounds(options.timing, turns);
  std::vector<RuntimeTimes> runtimes;
  for (const auto& turn : turns) {
    turn->row().timed.package = inspected;
    turn->row().timed.extents = ExtentsOf(InputSpecs(*inspected), model.inputs());
    runtimes.push_back(std::move(turn->row()));
  }
  MarkFastest(runtimes, options.smallest_effect);
  return runtimes;
}

}  // namespace hone
