// hone_bench_nearest_shape STORE [ROUNDS]: compares, for workloads without records, the best config of the nearest
// shape with the analytic default. Holds out each workload of STORE that was tuned on this machine, on one thread.
// Times its default, the nearest workload's config and its own best record, in turns and in new processes. Prints a row
// each and the sums.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bench/tuner/find_nearest_shape.h"
#include "compiler/codegen/target/host.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "rpc_runner/runner.h"
#include "tuner/finals/finals_stage.h"
#include "tuner/finals/interleaved_rounds.h"
#include "tuner/record_config_source.h"
#include "tuner/search/strategy.h"
#include "tuner/tuner.h"

namespace hone::bench {
namespace {

KernelJob JobOf(const Workload& workload, const Target& target, const Proposal& proposal, const TuneTools& tools) {
  auto built = tools.compile({workload, proposal.schedule, proposal.config, target});
  if (const auto* rejection = std::get_if<Rejection>(&built)) {
    throw Error(ExitCode::kBadData, workload.ToText() + ": " + rejection->reason);
  }
  KernelJob job{std::get<Artifact>(std::move(built)),
                tools.reference(workload, target),
                FindSchedule(proposal.schedule)->tolerance(),
                {1, 2},
                {}};
  job.timing.min_samples = job.timing.max_samples = FinalsStage::kSamples;
  return job;
}

std::vector<double> MediansUs(Runner& runner, const std::vector<KernelJob>& jobs, int rounds, const TuneTools& tools) {
  Random random(1);
  std::vector<double> us;
  for (const auto& results : InterleavedRounds(runner, jobs, rounds, random, tools, [] { return false; })) {
    std::vector<int64_t> least_ns;
    for (const Measurement& m : results) {
      if (m.fate == Fate::kOk) least_ns.push_back(m.MinNs());
    }
    if (least_ns.empty()) throw Error(ExitCode::kBadData, "a kernel does not run");
    us.push_back(static_cast<double>(MedianOf(least_ns).median) / 1e3);
  }
  if (us.empty()) throw Error(ExitCode::kNoRunner, "the runner was lost");
  return us;
}

int Run(const std::string& path, int rounds) {
  const auto store = RecordStore::Open(path, false);
  const auto runner = MakeLocalRunner();
  RecordConfigSource records(*store, FingerprintOf(runner->Describe()));
  const TuneTools tools = RealTuneTools();
  const BuildContext context{HostTarget()};
  const MachineModel machine = context.machine();
  const std::vector<std::string> workloads = store->Workloads();
  double sums[3] = {};
  fmt::print("{:>9} {:>8} {:>10} {:>10} {:>10} {:>7}  {}\n", "doublings", "estimate", "default us", "nearest us",
             "tuned us", "ratio", "workload");
  for (const std::string& text : workloads) {
    const Workload workload = Workload::Parse(text);
    const auto valid = [&](const std::string& schedule, const Config& config) {
      return !WhyUnusable(workload, machine, schedule, config, false);
    };
    const auto tuned = records.Choose(workload, context.target, 1, valid);
    const auto nearest = FindNearestShape(workload, context, workloads, records, valid);
    if (!tuned || tuned->source != "record" || !nearest) continue;
    const DefaultConfig otherwise = AnalyticDefault(workload, machine);
    const auto us =
        MediansUs(*runner,
                  {JobOf(workload, context.target, {std::string(otherwise.schedule->name()), otherwise.config}, tools),
                   JobOf(workload, context.target, {nearest->choice.schedule, nearest->choice.config}, tools),
                   JobOf(workload, context.target, {tuned->schedule, tuned->config}, tools)},
                  rounds, tools);
    for (size_t i = 0; i < us.size(); ++i) sums[i] += us[i];
    fmt::print("{:>9.2f} {:>8.3f} {:>10.2f} {:>10.2f} {:>10.2f} {:>7.3f}  {}\n", nearest->doublings,
               nearest->estimate_ratio, us[0], us[1], us[2], us[1] / us[0], text);
    std::fflush(stdout);
  }
  fmt::print("sum: default {:.1f} us, nearest shape {:.1f} us, tuned {:.1f} us\n", sums[0], sums[1], sums[2]);
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw hone::Error(hone::ExitCode::kUsage, "give it a STORE");
    const auto rounds = argc > 2 ? hone::ParseInteger(argv[2]) : std::optional<int64_t>(3);
    if (!rounds || *rounds < 1) throw hone::Error(hone::ExitCode::kUsage, "ROUNDS is a number from 1");
    return hone::bench::Run(argv[1], static_cast<int>(*rounds));
  } catch (const std::exception& error) {
    fmt::print(stderr, "hone_bench_nearest_shape: {}\n", error.what());
    return 2;
  }
}
