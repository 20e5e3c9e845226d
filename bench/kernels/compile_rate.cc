// hone_bench_compile_rate [CANDIDATES [TARGET]]: compiles distinct configs, drawn from the spaces that `hone tune` uses
// on ResNet-50, on one core. The target is this machine by default. Rejections are not counted. Prints goal, reached
// and verdict; exits 1 on a miss. Seconds are CPU time.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <string>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"

namespace hone {
namespace {

constexpr double kGoalPerSecond = 40;
constexpr double kGoalGrowthMb = 10;

double ResidentMb() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096 / 1e6;
}

// The next config of the task that was not drawn before and is not rejected.
Config NextConfig(const Workload& workload, const Schedule& schedule, const MachineModel& machine, Random& random,
                  std::set<std::string>& drawn) {
  const ConfigSpace space = schedule.Space(workload, machine);
  for (;;) {
    Config config = space.Sample(random);
    if (schedule.Reject(workload, machine, config)) continue;
    if (drawn.insert(workload.ToText() + std::string(schedule.name()) + config.ToText()).second) return config;
  }
}

int Run(int wanted, const Target& target) {
  const MachineModel machine = MachineModelFor(target);
  std::vector<Task> tasks;
  for (const Task& task : ExtractTasks(BuildZoo("resnet-50"), {target})) {
    if (task.workload.is_conv()) tasks.push_back(task);
  }
  Random random(1);
  std::set<std::string> drawn;
  double at_200 = 0;
  // The CPU time of this process, because other programs may use the core as well.
  const std::clock_t start = std::clock();
  for (int i = 0; i < wanted; ++i) {
    const Workload& workload = tasks[static_cast<size_t>(i) % tasks.size()].workload;
    const std::vector<const Schedule*> schedules = SchedulesFor(workload, machine);
    const Schedule& schedule = *schedules[static_cast<size_t>(i) / tasks.size() % schedules.size()];
    const Config config = NextConfig(workload, schedule, machine, random, drawn);
    const auto result = CompileKernel({workload, std::string(schedule.name()), config, target});
    if (!std::holds_alternative<Artifact>(result)) return 1;
    if (i + 1 == 200) at_200 = ResidentMb();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double rate = wanted / seconds, growth = wanted > 200 ? ResidentMb() - at_200 : 0;
  fmt::print("{:<34} {:>8} {:>9}  verdict\n", "what", "goal", "reached");
  fmt::print("{:<34} {:>8.0f} {:>9.1f}  {}\n", "candidates compiled per second", kGoalPerSecond, rate,
             rate >= kGoalPerSecond ? "reached" : "missed");
  fmt::print("{:<34} {:>8.0f} {:>9.1f}  {}\n", "MB grown from candidate 200 on", kGoalGrowthMb, growth,
             growth <= kGoalGrowthMb ? "reached" : "missed");
  return rate >= kGoalPerSecond && growth <= kGoalGrowthMb ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  return hone::Run(argc > 1 ? std::atoi(argv[1]) : 1000, hone::ResolveTarget(argc > 2 ? argv[2] : "host"));
}
