#include "lab/comparison/measure_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "compiler/codegen/target/machine_target.h"
#include "core/error.h"
#include "core/stats/sample_statistics.h"
#include "core/version.h"
#include "lab/comparison/comparison.h"
#include "lab/files/fresh_file.h"
#include "lab/machine/device_name.h"
#include "lab/machine/package_there.h"
#include "lab/model/build_model.h"
#include "lab/profile/profile.h"
#include "rpc_runner/executor/package_job.h"
#include "rpc_runner/tracker/ask_tracker.h"

namespace hone {
namespace {

constexpr int kRounds = 5;  // enough for the turns to share moments

// A runner, and the packages built for it.
struct BuiltMachine {
  std::unique_ptr<Runner> runner;
  Environment environment;
  BuildContext context;
  std::vector<std::unique_ptr<TemporaryPackage>> packages;  // one per model
};

// One package's turns on a machine.
struct Timing {
  size_t model = 0, whose = 0;
  PackageTurns turns;
  std::string why_not;  // why it failed there
};

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
  layer.bytes = static_cast<double>(BytesOf(plan, call));
  layer.time = {ns, ns, ns, 0};
  layer.schedule = dispatch.schedule;
  layer.config = dispatch.config;
  layer.source = dispatch.source;
  return layer;
}

ComparedTime TimeOf(const PackageTurns& turns) {
  const std::vector<int64_t> samples_ns = turns.SamplesNs();
  const MedianInterval median = MedianOf(samples_ns);
  return {median.median, median.low, median.high, static_cast<int>(samples_ns.size())};
}

PackageTimes TimesOf(const PackageTurns& turns, const ModelToCompare& model, const BuiltMachine& machine,
                     const Plan& plan) {
  PackageTimes times;
  times.model = model.name;
  times.images = ImagesOf(model.typed);
  times.machine = machine.environment;
  times.target = plan.target;
  times.threads = turns.threads();
  times.cache = "turns";
  times.time = TimeOf(turns);
  std::vector<ComparedLayer> calls;
  for (size_t i = 0; i < std::min(plan.calls.size(), turns.call_ns().size()); ++i) {
    calls.push_back(LayerOf(plan, plan.calls[i], turns.call_ns()[i]));
  }
  times.layers = JoinLayers(calls);
  times.hone_version = HoneVersion();
  times.why_noisy = machine.environment.health;
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

std::vector<Roof> RoofsTold(const TrackerStatus& status, const Environment& machine) {
  for (const RunnerInfo& runner : status.runners) {
    if (runner.key == machine.key && runner.label == machine.label) return ParseRoofsText(runner.roofs);
  }
  return {};
}

BuiltMachine LeaseAndBuild(const std::string& key, const std::vector<ModelToCompare>& models,
                           const MeasureOptions& options) {
  RemoteRunnerOptions remote = options.remote;
  remote.key = key;
  BuiltMachine machine;
  machine.runner = OneRunner(remote);
  machine.environment = machine.runner->Describe();
  machine.context = ContextFor(machine.environment, options);
  for (const ModelToCompare& model : models) {
    machine.packages.push_back(std::make_unique<TemporaryPackage>(
        BuildModel(model.typed, {machine.context, false, FingerprintOf(machine.environment)}, options.records)
            .result.package));
  }
  return machine;
}

Timing TimingOf(const Package& package, size_t model, size_t whose, const BuiltMachine& on, uint64_t group,
                const MeasureOptions& options) {
  PackageJob job = MakePackageJob(package.plan(), package.lib(), package.params(), on.context.threads, kAnyRuns);
  job.group = group;
  const TurnLimits limits{0, options.min_time_ns, kRounds};
  return {model, whose, PackageTurns(package.plan().model, std::move(job), limits, *on.runner), ""};
}

// A package that fails on a machine that it was not built for does not run there. That is a result, unless the runner
// was lost.
void TakeTurn(Timing& timing, bool own) {
  try {
    timing.turns.Take();
  } catch (const Error& error) {
    if (own || error.code() != ExitCode::kAnswerIsNo) throw;
    timing.why_not = error.what();
  }
}

// Times the packages of the machines `whose` on one machine, in turns.
std::vector<Timing> TimeOn(size_t on, const std::vector<size_t>& whose, const std::vector<BuiltMachine>& machines,
                           const MeasureOptions& options, std::vector<PortedPackage>& refused) {
  const BuiltMachine& machine = machines[on];
  const JobGroup group(*machine.runner);
  std::vector<Timing> timings;
  for (const size_t from : whose) {
    for (size_t model = 0; model < machines[from].packages.size(); ++model) {
      const TemporaryPackage& package = *machines[from].packages[model];
      const std::string why_not = WhyNotOn(machine.environment, package->plan().target, machine.context.threads);
      if (why_not.empty()) {
        timings.push_back(TimingOf(*package.operator->(), model, from, machine, group.number(), options));
      } else {
        refused.push_back({model, from, on, {}, why_not});
      }
    }
  }
  const auto is_done = [](const Timing& timing) { return !timing.why_not.empty() || timing.turns.Enough(); };
  while (!std::all_of(timings.begin(), timings.end(), is_done)) {
    for (Timing& timing : timings) {
      if (timing.why_not.empty()) TakeTurn(timing, timing.whose == on);
    }
  }
  return timings;
}

void MeasureOn(size_t on, const std::vector<size_t>& whose, const std::vector<BuiltMachine>& machines,
               const std::vector<ModelToCompare>& models, const MeasureOptions& options, MeasuredPackages& measured) {
  for (const Timing& timing : TimeOn(on, whose, machines, options, measured.ported)) {
    const BuiltMachine& machine = machines[on];
    if (timing.whose == on) {
      measured.own.push_back(
          TimesOf(timing.turns, models[timing.model], machine, (*machine.packages[timing.model])->plan()));
    } else if (timing.why_not.empty()) {
      measured.ported.push_back({timing.model, timing.whose, on, TimeOf(timing.turns), ""});
    } else {
      measured.ported.push_back({timing.model, timing.whose, on, {}, timing.why_not});
    }
  }
}

// Measures on one runner after another, so that a lease is held no longer than it is used.
void MeasureEach(const std::vector<ModelToCompare>& models, const MeasureOptions& options, MeasuredPackages& measured) {
  for (const std::string& key : options.keys) {
    std::vector<BuiltMachine> one;
    one.push_back(LeaseAndBuild(key, models, options));
    MeasureOn(0, {0}, one, models, options, measured);
  }
}

void MeasureAll(const std::vector<ModelToCompare>& models, const MeasureOptions& options, MeasuredPackages& measured) {
  std::vector<BuiltMachine> machines;
  for (const std::string& key : options.keys) machines.push_back(LeaseAndBuild(key, models, options));
  std::vector<size_t> all(machines.size());
  std::iota(all.begin(), all.end(), size_t{0});
  for (const size_t on : all) MeasureOn(on, all, machines, models, options, measured);
}

}  // namespace

MeasuredPackages MeasurePackages(const std::vector<ModelToCompare>& models, const MeasureOptions& options) {
  MeasuredPackages measured;
  options.ported ? MeasureAll(models, options, measured) : MeasureEach(models, options, measured);
  const TrackerStatus status =
      QueryTracker(options.remote.tracker, options.remote.connect_timeout_ns, options.remote.keys);
  for (PackageTimes& times : measured.own) {
    ComparedDevice device;
    device.target = times.target;
    device.threads = times.threads;
    times.roofs = CredibleRoofs(RoofsTold(status, times.machine), device).value_or(AssumedRoofs(device));
  }
  return measured;
}

}  // namespace hone
