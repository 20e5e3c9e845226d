// The interface of strategies, which choose the next configs. strategies/ has a file for each; strategy.cc lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedules/schedule.h"
#include "core/config_space.h"
#include "core/machine/target.h"
#include "core/workload.h"

namespace hone {

class SearchSpace;

// One config of one of the task's schedules.
struct Proposal {
  std::string schedule;
  Config config;
  bool operator==(const Proposal&) const = default;
};
// The number of knobs in which `b` differs from `a`; 1000 if their schedules differ.
int64_t KnobsApart(const Proposal& a, const Proposal& b);

struct Observation {
  Proposal proposal;
  bool ok = false;
  int64_t min_ns = 0;  // 0 when not ok
};

// The input of a strategy: the task's schedules with their spaces, constraints and estimates.
struct SearchTask {
  Workload workload;
  MachineModel machine;
  std::vector<const Schedule*> schedules;    // not owned; empty: those of SchedulesFor
  std::shared_ptr<const SearchSpace> space;  // of the three above; null: the strategy makes it
};

// Deterministic: the same seed and observations give the same proposals. Never proposes a config twice, nor one that
// its schedule rejects.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to n new proposals; fewer, or none, when the space is spent.
  virtual std::vector<Proposal> Propose(int n) = 0;
  // Observes a trial, which need not have been proposed (resume, records of others).
  virtual void Observe(const Observation& observation) = 0;
  // Receives knowledge of another task on the same kind of machine; a strategy may ignore it.
  virtual void Transfer(const SearchTask& other, const std::vector<Observation>& observations);
};

struct StrategyEntry {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Strategy> (*make)(const SearchTask& task, uint64_t seed);
};
const std::vector<StrategyEntry>& AllStrategies();
// Throws Error(kUsage) with the nearest name.
const StrategyEntry& FindStrategy(std::string_view name);
// Throws as FindStrategy does.
std::unique_ptr<Strategy> MakeStrategy(std::string_view name, const SearchTask& task, uint64_t seed);

}  // namespace hone
