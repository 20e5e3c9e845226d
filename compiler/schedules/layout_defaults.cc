#include "compiler/schedules/layout_defaults.h"

#include <algorithm>

namespace hone {
namespace {

// The best config of one schedule with these blocks; its layouts follow from the blocks.
struct BlocksBest {
  int64_t oc_block, ic_block;
  DefaultConfig best;
};

std::vector<BlocksBest> BestByBlocks(const Schedule& schedule, const Workload& workload, const MachineModel& machine,
                                     const std::function<bool(const Schedule&, const Config&)>& allowed) {
  std::vector<BlocksBest> all;
  const ConfigSpace space = schedule.Space(workload, machine);
  for (int64_t i = 0; i < space.size(); ++i) {
    Config config = space.At(i);
    if (schedule.Reject(workload, machine, config)) continue;
    const int64_t oc_block = config.Get("oc_block", 0), ic_block = config.Get("ic_block", 0);
    auto known = std::find_if(all.begin(), all.end(),
                              [&](const BlocksBest& b) { return b.oc_block == oc_block && b.ic_block == ic_block; });
    const double estimate = schedule.EstimateNs(workload, machine, config);
    if (known != all.end() && estimate >= known->best.estimate_ns) continue;
    if (!allowed(schedule, config)) continue;
    if (known == all.end()) known = all.insert(all.end(), {oc_block, ic_block, {}});
    known->best = {&schedule, std::move(config), estimate};
  }
  return all;
}

}  // namespace

LayoutPair LayoutPairOf(const Schedule& schedule, const Workload& workload, const Config& config) {
  const std::vector<KernelOperand> operands = schedule.Operands(workload, config, Epilogue());
  return {operands.front().layout.ToText(), operands.back().layout.ToText()};
}

std::vector<PairDefault> LayoutDefaults(
    const Workload& workload, const MachineModel& machine,
    const std::function<bool(const Schedule& schedule, const Config& config)>& allowed) {
  std::vector<PairDefault> all;
  for (const Schedule* schedule : SchedulesFor(workload, machine)) {
    for (BlocksBest& blocks : BestByBlocks(*schedule, workload, machine, allowed)) {
      const LayoutPair layouts = LayoutPairOf(*schedule, workload, blocks.best.config);
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const PairDefault& d) { return d.layouts == layouts; });
      if (known == all.end()) {
        all.push_back({layouts, std::move(blocks.best)});
      } else if (blocks.best.estimate_ns < known->best.estimate_ns) {
        known->best = std::move(blocks.best);
      }
    }
  }
  return all;
}

}  // namespace hone
