#include "cli/comparison/measure_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/build_model.h"
#include "cli/comparison/roofs_of_devices.h"
#include "cli/device_name.h"
#include "cli/files/temporary_package.h"
#include "compiler/codegen/machine_target.h"
#include "core/error.h"
#include "core/median_interval.h"
#include "core/version.h"
#include "rpc_runner/executor/package_job.h"
#include "rpc_runner/tracker/ask_tracker.h"

namespace hone {
namespace {

constexpr int kFirstRuns = 3;  // tell how many runs a job may have
constexpr int64_t kMinRuns = 10;
constexpr int64_t kJobNs = 1'000'000'000;

// A model on the machine, while it is timed.
struct Timing {
  Plan plan;
  PackageJob job;
  std::vector<int64_t> samples_ns;
  std::vector<int64_t> call_ns;  // the least of each call
  int64_t spent_ns = 0;

  bool Enough(int64_t min_time_ns) const {
    return static_cast<int64_t>(samples_ns.size()) >= kMinRuns && spent_ns >= min_time_ns;
  }
  int RunsNow() const {
    if (samples_ns.empty()) return kFirstRuns;
    const int64_t run_ns = std::max<int64_t>(1, spent_ns / static_cast<int64_t>(samples_ns.size()));
    return static_cast<int>(std::clamp<int64_t>(kJobNs / run_ns, 1, kMaxPackageRuns));
  }
};

Timing BuiltFor(const ModelToCompare& model, const BuildContext& context, const Environment& machine,
                const MeasureOptions& options) {
  const TemporaryPackage package(
      BuildModel(model.typed, {context, false, FingerprintOf(machine)}, options.records).result.package);
  Timing timing;
  timing.plan = package->plan();
  timing.job = MakePackageJob(package->plan(), package->lib(), package->params(), context.threads, kFirstRuns);
  return timing;
}

void TakeTurn(Timing& timing, Runner& runner) {
  timing.job.runs = timing.RunsNow();
  runner.SubmitPackage(timing.job);
  JobResult result;
  if (!runner.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
  const Measurement& m = result.measurement;
  if (m.fate != Fate::kOk) {
    const ExitCode code = m.fate == Fate::kRunnerLost ? ExitCode::kNoRunner : ExitCode::kAnswerIsNo;
    throw Error(code, fmt::format("{} on {}: {} {}", timing.plan.model, RunnerName(m.environment), FateName(m.fate),
                                  m.message));
  }
  timing.samples_ns.insert(timing.samples_ns.end(), m.samples_ns.begin(), m.samples_ns.end());
  timing.spent_ns += std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), int64_t{0});
  if (timing.call_ns.empty()) timing.call_ns = result.cost.calls_ns;
  for (size_t i = 0; i < std::min(timing.call_ns.size(), result.cost.calls_ns.size()); ++i) {
    timing.call_ns[i] = std::min(timing.call_ns[i], result.cost.calls_ns[i]);
  }
}

double BytesOf(const Plan& plan, const PlanCall& call) {
  double bytes = 0;
  for (const PlanView& view : call.operands) {
    bytes += static_cast<double>(plan.buffers.at(static_cast<size_t>(view.buffer)).size_bytes);
  }
  return bytes;
}

ComparedLayer LayerOf(const Plan& plan, const PlanCall& call, int64_t ns) {
  const Dispatch& dispatch = plan.kernels.at(static_cast<size_t>(call.kernel)).dispatch;
  ComparedLayer layer;
  layer.op = call.op;
  layer.nodes = call.nodes;
  layer.has_knobs = !dispatch.workload.empty();
  layer.name =
      layer.has_knobs ? dispatch.workload : fmt::format("{} {}", call.op, call.nodes.empty() ? "" : call.nodes.front());
  if (layer.has_knobs) layer.precision = PrecisionOf(Workload::Parse(dispatch.workload));
  layer.flops = call.flops;
  layer.bytes = BytesOf(plan, call);
  layer.time = {ns, ns, ns, 0};
  layer.schedule = dispatch.schedule;
  layer.config = dispatch.config;
  layer.source = dispatch.source;
  return layer;
}

PackageTimes TimesOf(const Timing& timing, const ModelToCompare& model, const Environment& machine) {
  const MedianInterval median = MedianOf(timing.samples_ns);
  PackageTimes times;
  times.model = model.name;
  times.images = ImagesOf(model.typed);
  times.machine = machine;
  times.target = timing.plan.target;
  times.threads = timing.job.timing.threads;
  times.cache = "turns";
  times.time = {median.median, median.low, median.high, static_cast<int>(timing.samples_ns.size())};
  std::vector<ComparedLayer> calls;
  for (size_t i = 0; i < std::min(timing.plan.calls.size(), timing.call_ns.size()); ++i) {
    calls.push_back(LayerOf(timing.plan, timing.plan.calls[i], timing.call_ns[i]));
  }
  times.layers = JoinLayers(calls);
  times.hone_version = HoneVersion();
  times.why_noisy = machine.health;
  return times;
}

BuildContext ContextFor(const Environment& machine, const MeasureOptions& options) {
  BuildContext context = options.context;
  context.target = TargetOf(machine);
  context.threads = options.threads > 0 ? options.threads : machine.cores;
  const std::string why_not = WhyNotOn(machine, context.target, context.threads);
  if (!why_not.empty()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} cannot time this: {}", RunnerName(machine), why_not));
  }
  CheckPrecision(context);
  return context;
}

MachineRoofs RoofsTold(const TrackerStatus& status, const Environment& machine, int threads) {
  for (const RunnerInfo& runner : status.runners) {
    if (runner.key == machine.key && runner.label == machine.label)
      return RoofFor(ParseRoofsText(runner.roofs), threads);
  }
  return {};
}

void MeasureOn(Runner& runner, const std::vector<ModelToCompare>& models, const MeasureOptions& options,
               std::vector<PackageTimes>& all) {
  const Environment machine = runner.Describe();
  const BuildContext context = ContextFor(machine, options);
  const JobGroup group(runner);
  std::vector<Timing> timings;
  for (const ModelToCompare& model : models) {
    timings.push_back(BuiltFor(model, context, machine, options));
    timings.back().job.group = group.number();
  }
  const auto enough = [&](const Timing& timing) { return timing.Enough(options.min_time_ns); };
  while (!std::all_of(timings.begin(), timings.end(), enough)) {
    for (Timing& timing : timings) TakeTurn(timing, runner);
  }
  for (size_t i = 0; i < models.size(); ++i) all.push_back(TimesOf(timings[i], models[i], machine));
}

}  // namespace

std::vector<PackageTimes> MeasurePackages(const std::vector<ModelToCompare>& models, const MeasureOptions& options) {
  std::vector<PackageTimes> all;
  for (const std::string& key : options.keys) {
    RemoteRunnerOptions remote = options.remote;
    remote.key = key;
    remote.max_runners = 1;
    MeasureOn(*MakeRemoteRunner(remote), models, options, all);
  }
  const TrackerStatus status =
      QueryTracker(options.remote.tracker, options.remote.connect_timeout_ns, options.remote.keys);
  for (PackageTimes& times : all) {
    times.roofs = RoofsTold(status, times.machine, times.threads);
    if (times.roofs.gflops > 0) continue;
    ComparedDevice device;
    device.target = times.target;
    device.threads = times.threads;
    times.roofs = AssumedRoofs(device);
  }
  return all;
}

}  // namespace hone
