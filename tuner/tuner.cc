#include "tuner/tuner.h"

#include <algorithm>

#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/session.h"
#include "runtime/threads/allowed_cores.h"
#include "tuner/best_by_records.h"
#include "tuner/compile/compile_pool.h"
#include "tuner/measure_peak.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

constexpr int kMostWorkers = 64;
constexpr int64_t kPeakPatienceNs = 3'000'000'000;

bool IsHere(Runner& runner) {
  const std::string host = ProbeEnvironment().host;
  const std::vector<Environment> machines = runner.Machines();
  return runner.Describe().host == host ||
         std::any_of(machines.begin(), machines.end(), [&](const Environment& m) { return m.host == host; });
}

// Compiling while a kernel is timed disturbs the timing, also from the core's second thread. So it waits unless the
// runner is another machine, or half of this machine's cores are idle anyway.
bool CompilingDisturbsNobody(Runner& runner, int threads) {
  return !IsHere(runner) || AllowedCores() >= 2 * threads + 2;
}

// While a kernel is timed here, compilers use only the cores that the rule above leaves idle; else every core
// compiles.
CompilePoolOptions PoolOptions(Runner& runner, const TuneOptions& options, bool overlap) {
  CompilePoolOptions pool;
  pool.workers = AllowedCores();
  if (overlap && IsHere(runner)) {
    pool.workers = AllowedCores() / 2 - options.context.threads;
    if (!options.cores.empty()) pool.cores = AffinityCpus();
    std::erase_if(pool.cores, [&](int core) {
      return std::find(options.cores.begin(), options.cores.end(), core) != options.cores.end();
    });
  }
  pool.workers = std::clamp(pool.workers, 1, kMostWorkers);
  return pool;
}

}  // namespace

TuneReport Tune(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
                const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop) {
  TuneTools tools = RealTuneTools();
  tools.overlap = CompilingDisturbsNobody(runner, options.context.threads);
  const CompilePoolOptions pool_options = PoolOptions(runner, options, tools.overlap);
  CompilePool pool(pool_options);
  tools.compile = [&pool](const Candidate& candidate) { return pool.Compile(candidate); };
  tools.reference = [&pool](const Workload& workload, const Target& target) {
    return pool.Reference(workload, target);
  };
  tools.compile_workers = pool_options.workers;
  if (options.layers != nullptr) tools.rows = [&](const std::string& text) { return options.layers->Rows(text); };
  const RecordLayers own = LayersBefore(Borrowed(store), options);
  const auto by_records = ChoicesBefore(options.layers_before != nullptr ? *options.layers_before : own,
                                        options.context, FingerprintOf(runner.Describe()));
  tools.before = [&](const Workload& workload) -> std::optional<ConfigChoice> {
    const auto built = options.built_before.find(workload.ToText());
    return built != options.built_before.end() ? built->second : by_records(workload);
  };
  TuneReport report = TuningLoop(tasks, options, runner, store, tools, observe, stop).Run();
  if (!report.interrupted && report.unanswered == 0 && report.no_runner.empty()) {
    report.peak_gflops = MeasurePeak(runner, options.context.target, options.context.threads, kPeakPatienceNs);
  }
  return report;
}

TuneCosts TuneCosts::Within(int64_t elapsed_ns) const {
  const int64_t all_ns = std::max<int64_t>(0, elapsed_ns);
  TuneCosts within;
  within.compile_ns = std::clamp<int64_t>(compile_ns, 0, all_ns);
  const auto left_ns = static_cast<double>(all_ns - within.compile_ns);
  const auto jobs_ns = static_cast<double>(verify_ns + timing_ns);
  const double scale = jobs_ns > left_ns ? left_ns / jobs_ns : 1;
  within.verify_ns = static_cast<int64_t>(scale * static_cast<double>(verify_ns));
  within.timing_ns = static_cast<int64_t>(scale * static_cast<double>(timing_ns));
  return within;
}

TuningRun MakeTuningRun(const TuneOptions& options) {
  Json asked;
  asked["model"] = options.model;
  asked["target"] = options.context.target.ToText();
  asked["threads"] = options.context.threads;
  asked["strategy"] = options.strategy;
  asked["seed"] = options.seed;
  asked["math"] = options.context.exact_math ? "exact" : "fast";
  // Left out for float32, so that runs from before other precisions existed can continue.
  if (options.context.precision != Precision::kFloat32) asked["precision"] = PrecisionName(options.context.precision);
  if (!options.precision.empty()) asked["precision"] = options.precision;
  if (options.context.weights != StoredWeights::kFloat32) asked["weights"] = StoredWeightsName(options.context.weights);
  for (const RunLength& length : options.context.lengths) {
    asked["lengths"].push_back({{"extents", length.extents}, {"share", length.share}});
  }
  if (options.context.weight_group != kWeightGroup) asked["group"] = options.context.weight_group;
  if (options.context.byte_rows) asked["activations"] = "int8";
  asked["cache"] = CacheModeName(options.cache);
  TuningRun run;
  run.json = DumpJson(asked);
  run.id = Sha256Hex(run.json).substr(0, 16);
  run.state = "running";
  return run;
}

TuningRun WithTasks(TuningRun run, const std::vector<TaskReport>& tasks, int64_t images) {
  Json asked = ParseJson(run.json, "a tuning run");
  if (images > 0) asked["images"] = images;
  asked["tasks"] = Json::array();
  for (const TaskReport& task : tasks) {
    asked["tasks"].push_back({{"workload", task.workload.ToText()},
                              {"node", task.nodes.empty() ? "" : task.nodes.front()},
                              {"uses", task.uses},
                              {"default", {{"schedule", task.default_schedule}, {"config", task.default_config}}}});
  }
  run.json = DumpJson(asked);
  return run;
}

}  // namespace hone
