#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "cli/command_line.h"
#include "cli/device_name.h"
#include "cli/machine_options.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/statistics.h"
#include "cli/printing/table.h"
#include "cli/remote_options.h"
#include "cli/bench/time_packages.h"
#include "cli/bench/time_packages_there.h"
#include "core/duration.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "rpc_runner/machine/environment.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

constexpr int kProfiledRuns = 20;

struct BenchOptions {
  std::vector<std::string> packages;
  TimePackagesOptions timing;
  std::string min_time = "3s", fail_above;
  bool per_op = false;
  RemoteRunnerOptions remote;
};

// Where they were timed.
struct Bench {
  std::vector<TimedPackage> packages;
  Environment machine;
  bool there = false;  // on a runner
};

Json PerOpJson(const TimedPackage& timed, bool there) {
  Json list = Json::array();
  const Plan& plan = timed.package->plan();
  for (size_t i = 0; i < timed.call_ns.size(); ++i) {
    const PlanCall& call = plan.calls[i];
    const Dispatch& d = plan.kernels.at(static_cast<size_t>(call.kernel)).dispatch;
    list.push_back({{"op", call.op},
                    {"nodes", call.nodes},
                    {"schedule", d.schedule},
                    {"config", d.config},
                    {"workload", d.workload},
                    {there ? "min_ns" : "median_ns", timed.call_ns[i]},
                    {"expected_ns", d.expected_ns},
                    {"gflops", timed.call_ns[i] > 0 ? call.flops / static_cast<double>(timed.call_ns[i]) : 0.0}});
  }
  return list;
}

// Of the calls whose kernels have been timed alone: what they took then, together. 0 when none has.
int64_t ExpectedNs(const Plan& plan) {
  int64_t total_ns = 0;
  for (const PlanCall& call : plan.calls) {
    total_ns += plan.kernels.at(static_cast<size_t>(call.kernel)).dispatch.expected_ns;
  }
  return total_ns;
}

// Least with least: an expected time is the least of its samples.
double ExpectedShare(const TimedPackage& timed) {
  const int64_t min_ns = StatisticsOf(timed.samples_ns).min_ns;
  return min_ns > 0 ? static_cast<double>(ExpectedNs(timed.package->plan())) / static_cast<double>(min_ns) : 0;
}

Json PackageJson(const TimedPackage& timed, const BenchOptions& options, bool there) {
  const Statistics s = StatisticsOf(timed.samples_ns);
  Json json = {{"path", timed.path},       {"model", timed.package->plan().model},
               {"threads", timed.threads}, {"runs", timed.runs},
               {"batch", timed.batch},     {"min_ns", s.min_ns},
               {"p10_ns", s.p10_ns},       {"median_ns", s.median_ns},
               {"p90_ns", s.p90_ns},       {"median_ci95_ns", Json::array({s.median_low_ns, s.median_high_ns})}};
  if (options.per_op) json["per_op"] = PerOpJson(timed, there);
  json["expected_ns"] = ExpectedNs(timed.package->plan());
  json["expected_share"] = ExpectedShare(timed);
  return json;
}

void PrintTimes(const std::vector<TimedPackage>& packages) {
  Table table({"package", "> threads", "> runs", "> min", "> p10", "> median", "> p90", "95% CI of the median"});
  for (const TimedPackage& timed : packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    table.Add({timed.path, fmt::format("{}", timed.threads), fmt::format("{}", timed.runs), TimeText(s.min_ns),
               TimeText(s.p10_ns), TimeText(s.median_ns), TimeText(s.p90_ns),
               fmt::format("{} .. {}", TimeText(s.median_low_ns), TimeText(s.median_high_ns))});
  }
  Print("{}", table.ToText());
}

void PrintPerOp(const TimedPackage& timed) {
  const Plan& plan = timed.package->plan();
  const int64_t total = std::accumulate(timed.call_ns.begin(), timed.call_ns.end(), int64_t{0});
  Table table({"> time", "> share", "> tuned", "> GFLOP/s", "op", "schedule", "config", "node"});
  for (size_t i = 0; i < timed.call_ns.size(); ++i) {
    const PlanCall& call = plan.calls[i];
    const Dispatch& d = plan.kernels.at(static_cast<size_t>(call.kernel)).dispatch;
    const double share =
        100.0 * static_cast<double>(timed.call_ns[i]) / static_cast<double>(std::max<int64_t>(total, 1));
    table.Add({TimeText(timed.call_ns[i]), fmt::format("{:.1f}%", share), TimeText(d.expected_ns),
               GflopsText(call.flops, timed.call_ns[i]), call.op, d.schedule, d.config,
               call.nodes.empty() ? "" : call.nodes.front()});
  }
  Print("\n{}: {} in {} calls\n{}", timed.path, TimeText(total), plan.calls.size(), table.ToText());
  if (ExpectedNs(plan) > 0) {
    Print("kernels as they were tuned: {} together, {:.0f} % of the package's least time\n", TimeText(ExpectedNs(plan)),
          100 * ExpectedShare(timed));
  }
}

struct Verdict {
  Ratio ratio;  // first against second
  std::string text;
};
Verdict Judge(const TimedPackage& first, const TimedPackage& second) {
  Verdict verdict;
  verdict.ratio = RatioOfP10(first.samples_ns, second.samples_ns, 1);
  const Ratio& r = verdict.ratio;
  const std::string interval = fmt::format("ratio of p10 {:.3f}, 95% CI {:.3f} .. {:.3f}", r.value, r.low, r.high);
  if (r.low > 1) {
    verdict.text = fmt::format("{} is faster: {}", second.path, interval);
  } else if (r.high < 1) {
    verdict.text = fmt::format("{} is slower: {}", second.path, interval);
  } else {
    verdict.text = fmt::format("no significant difference: {}", interval);
  }
  return verdict;
}

Json VerdictJson(const Verdict& v) {
  return {{"p10_ratio", v.ratio.value}, {"ci95", Json::array({v.ratio.low, v.ratio.high})}, {"text", v.text}};
}

// The regression must be outside the noise, not only its point estimate.
bool FailsAbove(const Verdict& verdict, double share) { return verdict.ratio.high < 1 / (1 + share); }

void TellMachine(const Environment& machine) {
  Print("timed on {}, parameters and inputs random{}\n", RunnerName(machine),
        machine.emulated ? "; it is emulated: these are not the times of such a device" : "");
}

int Report(const Bench& bench, const BenchOptions& options, bool json) {
  const std::vector<TimedPackage>& packages = bench.packages;
  std::optional<Verdict> verdict;
  if (packages.size() == 2) verdict = Judge(packages[0], packages[1]);
  if (json) {
    Json list = Json::array();
    for (const TimedPackage& timed : packages) list.push_back(PackageJson(timed, options, bench.there));
    Json document = {{"packages", list}, {"machine", ToJson(bench.machine)}};
    if (verdict) document["verdict"] = VerdictJson(*verdict);
    PrintJson(document);
  } else {
    PrintTimes(packages);
    if (verdict) Print("{}\n", verdict->text);
    for (const TimedPackage& timed : packages) {
      if (options.per_op) PrintPerOp(timed);
    }
    if (bench.there) TellMachine(bench.machine);
  }
  if (options.fail_above.empty() || !verdict) return 0;
  return FailsAbove(*verdict, ParseShare(options.fail_above, "--fail-above")) ? static_cast<int>(ExitCode::kAnswerIsNo)
                                                                              : 0;
}

void AddOptions(CommandLine& line, BenchOptions& options) {
  line.Add("PACKAGE", options.packages, "packages; two are judged against each other").Required();
  AddThreadsOption(line, options.timing.threads);
  line.Add("--runs", options.timing.runs, "runs of each package; by default as many as fill --min-time")
      .Between(1, 10'000'000);
  line.Add("--min-time", options.min_time, "run each package for at least so long").ShowDefault();
  line.AddFlag("--per-op", options.per_op, "also the median time of every call");
  line.Add("--fail-above", options.fail_above, "with two: exit 1 when the second is slower by more than this, as 3%");
  AddInputOptions(line, options.timing.inputs);
  AddRemoteOptions(line, options.remote, "time on a runner behind it, on random inputs");
}

Bench TimeHereOrThere(const BenchOptions& options) {
  Bench bench;
  bench.there = IsRemote(options.remote);
  if (!bench.there) {
    bench.packages = TimePackages(options.packages, options.timing);
    bench.machine = ProbeEnvironment();
    return bench;
  }
  if (!options.timing.inputs.files.empty() || options.timing.inputs.fill != InputOptions().fill) {
    throw Error(ExitCode::kUsage, "with --tracker inputs are random: --input and --fill are for packages run here");
  }
  RemoteRunnerOptions remote = options.remote;
  remote.max_runners = 1;
  const std::unique_ptr<Runner> runner = MakeRemoteRunner(remote);
  bench.packages = TimePackagesThere(options.packages, options.timing, *runner, &bench.machine);
  return bench;
}

}  // namespace

int BenchCommand(const Arguments& arguments) {
  CommandLine line("hone bench", "Times packages, interleaved after a warm-up.");
  BenchOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (!options.fail_above.empty()) {
    ParseShare(options.fail_above, "--fail-above");
    if (options.packages.size() != 2)
      throw Error(ExitCode::kUsage, "--fail-above judges two packages; give the old and the new one");
  }
  options.timing.min_time_ns = ParseDuration(options.min_time);
  options.timing.profiled_runs = options.per_op ? kProfiledRuns : 0;
  const int code = Report(TimeHereOrThere(options), options, line.json());
  line.Next(options.per_op ? "hone tune MODEL" + line.Given({Topic::kThreads})
                           : "hone bench --per-op " + ShellWord(options.packages[0]) +
                                 line.Given({Topic::kThreads, Topic::kInputs, Topic::kRunners}));
  return code;
}

}  // namespace hone
