// A world for the tuner in which everything is known: schedules with given costs, and a runner that answers with them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedules/schedule.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/search/strategy.h"
#include "tuner/tune_tools.h"

namespace hone::testing {

// Four knobs of `values` values each (1, 2, 3, ...). Rejects configs whose "a" and "b" are both the largest. The true
// cost is smooth with an optimum away from the estimate's.
class FakeSchedule : public Schedule {
 public:
  explicit FakeSchedule(std::string name, int64_t values = 6) : name_(std::move(name)), values_(values) {}
  std::string_view name() const override { return name_; }
  int version() const override { return version_; }
  void set_version(int version) { version_ = version; }
  double tolerance() const override { return tolerance_; }
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  bool Applies(const Workload&, const MachineModel&) const override { return true; }
  std::vector<KnobRow> Knobs() const override;
  ConfigSpace Space(const Workload&, const MachineModel&) const override;
  std::optional<std::string> Reject(const Workload&, const MachineModel&, const Config& config) const override;
  std::vector<KernelOperand> Operands(const Workload&, const Config&, const Epilogue&) const override;
  EmittedKernel Emit(KernelBuilder&, const Workload&, const MachineModel&, const Config&, const Epilogue&,
                     const std::string&) const override;
  TileShape Tile(const Workload&, const MachineModel&, const Config&) const override { return {}; }
  double EstimateNs(const Workload&, const MachineModel&, const Config& config) const override;
  int64_t CostNs(const Config& config) const;

 private:
  std::string name_;
  int64_t values_;
  int version_ = 1;
  double tolerance_ = kExactTolerance;
};

// A dense workload of m x 64 by 64 x 64.
Workload FakeWorkload(int64_t m = 1);
SearchTask FakeTask(const std::vector<const Schedule*>& schedules);

// Runs jobs in order, each at the cost of its artifact (see FakeTools). Each job takes a millisecond of `clock`, less
// on several machines.
class FakeRunner : public Runner {
 public:
  explicit FakeRunner(int64_t* clock_ns) : clock_ns_(clock_ns) {}
  int FreeSlots() const override { return away ? 0 : 2 * machines - static_cast<int>(queue_.size()); }
  JobId Submit(KernelJob job) override;
  bool Wait(int64_t timeout_ns, JobResult* result) override;
  Environment Describe() override;
  std::vector<Environment> Machines() override {
    return std::vector<Environment>(static_cast<size_t>(machines), Describe());
  }
  uint64_t OpenGroup() override { return ++groups; }
  std::vector<SuspectResult> TakeSuspectResults() override { return std::exchange(suspects, {}); }
  void CheckHealth(int64_t) override { suspects = check_health(); }

  std::function<Fate(const std::string& artifact)> fate = [](const std::string&) { return Fate::kOk; };
  int32_t detail = 0;  // reported with every fate
  std::function<bool(const std::string& artifact)> noisy = [](const std::string&) { return false; };
  // The time of a job, given the cost that its artifact states.
  std::function<int64_t(const KernelJob& job, int64_t cost_ns)> time = [](const KernelJob&, int64_t ns) { return ns; };
  std::function<void()> after_job = [] {};
  std::vector<SuspectResult> suspects;  // returned by TakeSuspectResults
  // The suspects that CheckHealth finds.
  std::function<std::vector<SuspectResult>()> check_health = [] { return std::vector<SuspectResult>(); };
  std::optional<RunnerAbsence> Absence() override {
    return absence ? std::optional<RunnerAbsence>({"no runner left", *clock_ns_ - *absence}) : std::nullopt;
  }
  std::function<void()> waited = [] {};  // called by each Wait during an absence
  std::optional<int64_t> absence;        // since when no machine is left; no job is answered then
  bool away = false;
  int machines = 1;
  uint64_t groups = 0;  // number of groups opened
  std::string cpu_id = "Fake-1-1-1";
  std::vector<KernelJob> jobs;  // all jobs submitted

 private:
  int64_t* clock_ns_;
  JobId next_ = 1;
  std::deque<std::pair<JobId, KernelJob>> queue_;
};

// A compiler whose artifacts say "schedule cost config", with the fake clock.
TuneTools FakeTools(const std::vector<const FakeSchedule*>& schedules, int64_t* clock_ns);

}  // namespace hone::testing
