#include "lab/bench/print_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/nth.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "lab/bench/time_runtimes.h"
#include "lab/machine/device_name.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {
namespace {

// The median's confidence interval, relative to the median.
std::string IntervalText(const Statistics& s) {
  const auto median = static_cast<double>(std::max<int64_t>(s.median_ns, 1));
  const auto percent = [&](int64_t ns) { return 100 * (static_cast<double>(ns) / median - 1); };
  return fmt::format("{:+.1f} {:+.1f} %", percent(s.median_low_ns), percent(s.median_high_ns));
}

void PrintTimes(const BenchResult& result) {
  Table table({"package", "> threads", "> runs", "> min", "> p10", "> median", "> p90", "> 95% of median"});
  for (const TimedPackage& timed : result.packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    table.Add({timed.path, fmt::format("{}", timed.threads), fmt::format("{}", timed.runs), TimeText(s.min_ns),
               TimeText(s.p10_ns), TimeText(s.median_ns), TimeText(s.p90_ns), IntervalText(s)});
  }
  Print("{}", table.ToText(OutputColumns()));
}

// Latencies are those of single runs under load.
void PrintThroughput(const BenchResult& result) {
  Table table({"package", "> streams", "> threads", "> images/s", "> min", "> median", "> p90", "> p99"});
  for (const TimedPackage& timed : result.packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    table.Add({timed.path, fmt::format("{}", timed.streams), fmt::format("{}", timed.threads),
               fmt::format("{:.1f}", ImagesPerSecond(timed, result.conditions)), TimeText(s.min_ns),
               TimeText(s.median_ns), TimeText(s.p90_ns), TimeText(s.p99_ns)});
  }
  Print("{}", table.ToText(OutputColumns()));
}

void PrintPerOp(const TimedPackage& timed) {
  const Plan& plan = timed.package->plan();
  const int64_t total = std::accumulate(timed.call_ns.begin(), timed.call_ns.end(), int64_t{0});
  Table table({"> time", "> share", "> tuned", "> GFLOP/s", "op", "schedule", "config", "node"});
  for (size_t i = 0; i < timed.call_ns.size(); ++i) {
    const PlanCall& call = plan.calls[i];
    const Dispatch& d = Nth(plan.kernels, call.kernel).dispatch;
    const double share =
        100.0 * static_cast<double>(timed.call_ns[i]) / static_cast<double>(std::max<int64_t>(total, 1));
    table.Add({TimeText(timed.call_ns[i]), fmt::format("{:.1f}%", share), TimeText(d.expected_ns),
               GflopsText(call.flops, timed.call_ns[i]), call.op, d.schedule, d.config,
               call.nodes.empty() ? "" : call.nodes.front()});
  }
  Print("\n{}: {} in {}\n{}", timed.path, TimeText(total), Counted(plan.calls.size(), "call"),
        table.ToText(OutputColumns()));
  if (ExpectedNs(plan) > 0) {
    Print("kernels as they were tuned: {} together, {:.0f} % of the package's least time\n", TimeText(ExpectedNs(plan)),
          100 * ExpectedShare(timed));
  }
}

void TellEnergy(const BenchResult& result) {
  if (!result.energy.why_not.empty()) return Note("no energy: {}\n", result.energy.why_not);
  for (const TimedPackage& timed : result.packages) {
    Print("{}: {:.3g} J per image ({}; all that ran there)\n", timed.path, JoulesPerImage(timed),
          fmt::join(result.energy.domains, ", "));
  }
}

void TellMachine(const Environment& machine, bool random_params) {
  Print("timed on {}{}{}\n", RunnerName(machine), random_params ? ", with random parameters" : "",
        machine.emulated ? "; it is emulated: these are not the times of such a device" : "");
}

void PrintRuntimes(const BenchResult& result) {
  PrintVerdicts(RuntimesText(result.runtimes, OutputColumns()));
  for (const std::string& note : result.noise.notes) Note("noise: {}\n", note);
}

}  // namespace

void PrintResult(const BenchResult& result, bool random_params) {
  if (!result.runtimes.empty()) return PrintRuntimes(result);
  result.conditions.throughput ? PrintThroughput(result) : PrintTimes(result);
  for (const TimedPackage& timed : result.packages) {
    if (!timed.extents.empty()) Print("{} was timed at {}\n", timed.path, ExtentsText(timed.extents));
  }
  for (const Verdict& verdict : result.verdicts) PrintVerdicts(VerdictText(verdict) + "\n");
  for (const TimedPackage& timed : result.packages) {
    if (result.per_op) PrintPerOp(timed);
  }
  if (result.conditions.there) TellMachine(result.machine, random_params);
  if (result.energy.asked) TellEnergy(result);
  for (const std::string& note : result.noise.notes) Note("noise: {}\n", note);
}

}  // namespace hone
