#include "tests/tuner/fake_tuning.h"

#include <fmt/format.h>

#include <numeric>
#include <sstream>

namespace hone::testing {

std::vector<KnobRow> FakeSchedule::Knobs() const {
  std::vector<KnobRow> rows;
  for (const char* name : {"a", "b", "c", "d"}) rows.push_back({name, 1, {1, values_}, Always<1>});
  return rows;
}

ConfigSpace FakeSchedule::Space(const Workload&, const MachineModel&) const {
  std::vector<int64_t> values(static_cast<size_t>(values_));
  std::iota(values.begin(), values.end(), 1);
  return ConfigSpace({{"a", values}, {"b", values}, {"c", values}, {"d", values}});
}

std::optional<std::string> FakeSchedule::Reject(const Workload&, const MachineModel&, const Config& config) const {
  if (config.Get("a", 1) == values_ && config.Get("b", 1) == values_) return "too large";
  return std::nullopt;
}

std::vector<KernelOperand> FakeSchedule::Operands(const Workload& workload, const Config&, const Epilogue&) const {
  return {{OperandRole::kData, DType::kFloat32, workload.data, Layout::Parse("MK")},
          {OperandRole::kOutput, DType::kFloat32, workload.OutputShape(), Layout::Parse("MN")}};
}

EmittedKernel FakeSchedule::Emit(KernelBuilder&, const Workload&, const MachineModel&, const Config&, const Epilogue&,
                                 const std::string&) const {
  return {};
}

// The estimate treats c and d as free and errs on a.
double FakeSchedule::EstimateNs(const Workload&, const MachineModel&, const Config& config) const {
  const double a = static_cast<double>(config.Get("a", 1)), b = static_cast<double>(config.Get("b", 1));
  return 10'000 + 1'000 * (a - 1) * (a - 1) + 1'000 * (b - 4) * (b - 4);
}

int64_t FakeSchedule::CostNs(const Config& config) const {
  const int64_t a = config.Get("a", 1), b = config.Get("b", 1), c = config.Get("c", 1), d = config.Get("d", 1);
  return 10'000 + 800 * (a - 3) * (a - 3) + 900 * (b - 5) * (b - 5) + 700 * (c - 4) * (c - 4) +
         600 * (d - 2) * (d - 2) + 150 * ((a + c) % 2) + static_cast<int64_t>(name_.size());
}

Workload FakeWorkload(int64_t m) {
  Workload workload;
  workload.op = "nn.dense";
  workload.data = {m, 64};
  workload.weight = {64, 64};
  return workload;
}

SearchTask FakeTask(const std::vector<const Schedule*>& schedules) {
  SearchTask task;
  task.workload = FakeWorkload();
  task.schedules = schedules;
  return task;
}

JobId FakeRunner::Submit(KernelJob job) {
  jobs.push_back(job);
  queue_.emplace_back(next_, std::move(job));
  return next_++;
}

bool FakeRunner::Wait(int64_t timeout_ns, JobResult* result) {
  if (absence) {
    *clock_ns_ += timeout_ns;
    waited();
    return false;
  }
  if (queue_.empty()) return false;
  const auto [id, job] = queue_.front();
  queue_.pop_front();
  *clock_ns_ += 1'000'000 / machines;
  *result = {};
  result->id = id;
  result->measurement.environment = Describe();
  result->measurement.fate = fate(job.artifact.elf);
  result->measurement.detail = detail;
  if (result->measurement.fate == Fate::kOk) {
    std::string schedule;
    int64_t cost_ns = 0;
    std::istringstream(job.artifact.elf) >> schedule >> cost_ns;
    cost_ns = time(job, cost_ns);
    result->measurement.samples_ns = {cost_ns + 5, cost_ns, cost_ns + 9};
    result->measurement.batch = {1, 1, 1};
    result->measurement.noisy = noisy(job.artifact.elf);
    result->measurement.wall_ns = 1'000'000;
    result->cost = {200'000, 700'000};
  }
  after_job();
  return true;
}

Environment FakeRunner::Describe() {
  Environment environment;
  environment.cpu_model = "Fake CPU";
  environment.cpu_id = cpu_id;
  environment.host = "fake";
  return environment;
}

TuneTools FakeTools(const std::vector<const FakeSchedule*>& schedules, int64_t* clock_ns) {
  TuneTools tools;
  tools.schedules.assign(schedules.begin(), schedules.end());
  tools.compile = [schedules](const Candidate& candidate) -> std::variant<Artifact, Rejection> {
    for (const FakeSchedule* schedule : schedules) {
      if (schedule->name() != candidate.schedule) continue;
      Artifact artifact;
      artifact.elf =
          fmt::format("{} {} {}", candidate.schedule, schedule->CostNs(candidate.config), candidate.config.ToText());
      artifact.object_sha256 = artifact.elf;
      return artifact;
    }
    return Rejection{Fate::kCompileFailed, "no such schedule"};
  };
  tools.reference = [](const Workload&, const Target&) { return Artifact{}; };
  tools.now_ns = [clock_ns] { return *clock_ns; };
  tools.unix_ms = [clock_ns] { return *clock_ns / 1'000'000; };
  tools.sleep = [clock_ns](int64_t ns) { *clock_ns += ns; };
  tools.llvm_version = "19";
  return tools;
}

}  // namespace hone::testing
