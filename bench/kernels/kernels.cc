// hone_bench_kernels [MODEL [STORE]]: every anchor of a zoo network on one thread, as share of the measured FMA peak.
#include <fmt/format.h>

#include <cstdio>

#include "bench/kernels/kernel_timer.h"
#include "bench/kernels/peak.h"
#include "compiler/build.h"
#include "compiler/codegen/host.h"
#include "compiler/frontend/zoo.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "db/record_store.h"
#include "rpc_runner/environment.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

ConfigChoice Choose(const Workload& workload, const Target& target, ConfigSource* records) {
  const MachineModel machine = MachineModelFor(target);
  const auto valid = [&](const std::string& name, const Config& config) {
    const Schedule* schedule = FindSchedule(name);
    return schedule && schedule->Applies(workload, machine) && !schedule->Reject(workload, machine, config);
  };
  if (records) {
    if (auto choice = records->Choose(workload, target, 1, valid)) return *choice;
  }
  const DefaultConfig chosen = AnalyticDefault(workload, machine);
  return {std::string(chosen.schedule->name()), chosen.config, "default", "", 0};
}

int Run(int argc, char** argv) {
  const std::string model = argc > 1 ? argv[1] : "resnet-50";
  const Target target = HostTarget();
  std::unique_ptr<RecordStore> store;
  std::unique_ptr<RecordConfigSource> records;
  if (argc > 2) {
    store = RecordStore::Open(argv[2], false);
    records = std::make_unique<RecordConfigSource>(*store, ProbeEnvironment().cpu_model);
  }
  const double peak = bench::MeasureFmaPeak(target);
  fmt::print("{} on {}: measured FMA peak {:.1f} GFLOP/s on one core\n", model, target.cpu, peak);
  fmt::print("{:>5} {:>9} {:>9} {:>6} {:>6}  {}\n", "uses", "hot us", "cold us", "hot", "cold", "workload");
  double hot = 0, cold = 0, flops = 0;
  for (const Task& task : ExtractTasks(BuildZoo(model), target)) {
    const ConfigChoice choice = Choose(task.workload, target, records.get());
    const auto compiled = CompileKernel({task.workload, choice.schedule, choice.config, target});
    const bench::KernelTimes times = bench::TimeKernel(std::get<Artifact>(compiled), 0.1);
    const double work = task.workload.Flops();
    fmt::print("{:>5} {:>9.1f} {:>9.1f} {:>5.0f}% {:>5.0f}%  {} | {} {} ({})\n", task.uses, times.hot_ns / 1e3,
               times.cold_ns / 1e3, 100 * work / times.hot_ns / peak, 100 * work / times.cold_ns / peak,
               task.workload.ToText(), choice.schedule, choice.config.ToText(), choice.source);
    hot += task.uses * times.hot_ns;
    cold += task.uses * times.cold_ns;
    flops += task.uses * work;
  }
  fmt::print("sum: {:.2f} ms hot, {:.2f} ms cold; {:.0f} % and {:.0f} % of peak\n", hot / 1e6, cold / 1e6,
             100 * flops / hot / peak, 100 * flops / cold / peak);
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::Run(argc, argv);
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_bench_kernels: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
