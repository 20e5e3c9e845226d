#include "bench/tuner/model_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <variant>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/frontend/zoo/zoo.h"
#include "rpc_runner/runner.h"
#include "tuner/search/search_space.h"

namespace hone::bench {
namespace {

constexpr int kDrawn = 6;
constexpr int64_t kPatienceNs = 60'000'000'000;

// The seconds from a config to its time, on one core.
double SecondsPerConfig(const SearchSpace& space, const Workload& workload, const Target& target, Runner& runner) {
  const Artifact reference = CompileReference(workload, target);
  Random random(0);
  double seconds = 0;
  for (int i = 0; i < kDrawn; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Proposal& drawn = space.ranked()[random.Below(space.ranked().size())].proposal;
    const auto built = CompileKernel({workload, drawn.schedule, drawn.config, target});
    const Artifact* artifact = std::get_if<Artifact>(&built);
    if (artifact == nullptr) continue;
    runner.Submit({*artifact, reference, space.Find(drawn.schedule)->tolerance(), {1}, {}});
    JobResult result;
    runner.Wait(kPatienceNs, &result);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds += took.count() / kDrawn;
  }
  return seconds;
}

}  // namespace

void PrintModelSpaces(const std::string& model) {
  const Target target = HostTarget();
  const auto runner = MakeLocalRunner();
  fmt::print("{:>5} {:>9} {:>9} {:>9}  {:>9}  {}\n", "uses", "configs", "valid", "rejected", "all s", "workload");
  double seconds = 0;
  int64_t configs = 0, valid = 0;
  for (const Task& task : ExtractTasks(BuildZoo(model), {target})) {
    const SearchSpace space({task.workload, MachineModelFor(target), {}, nullptr});
    const auto left = static_cast<int64_t>(space.ranked().size());
    const double all = SecondsPerConfig(space, task.workload, target, *runner) * static_cast<double>(left);
    fmt::print("{:>5} {:>9} {:>9} {:>8.0f}%  {:>9.0f}  {}\n", task.uses, space.size(), left,
               100.0 * static_cast<double>(space.size() - left) / static_cast<double>(space.size()), all,
               task.workload.ToText());
    seconds += all;
    configs += space.size();
    valid += left;
  }
  fmt::print("{:>5} {:>9} {:>9} {:>8.0f}%  {:>9.0f}\n", "all", configs, valid,
             100.0 * static_cast<double>(configs - valid) / static_cast<double>(configs), seconds);
}

}  // namespace hone::bench
