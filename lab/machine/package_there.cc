#include "lab/machine/package_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/codegen/target/machine_target.h"
#include "compiler/relay/counted_outputs.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/nth.h"
#include "core/text/parse_number.h"
#include "lab/machine/device_name.h"
#include "rpc_runner/executor/package_job.h"
#include "runtime/ranged_inputs.h"
#include "runtime/session.h"

namespace hone {
namespace {

// Long enough that a slow board's own --max-deadline limits the run.
constexpr int64_t kDeadlineNs = int64_t{3600} * 1'000'000'000;

// Whether no axis before it in the plan's list has the same extent.
bool IsFirstOf(const Plan& plan, const RangedAxis& axis) {
  return &axis == &*std::find_if(plan.ranged.begin(), plan.ranged.end(),
                                 [&](const RangedAxis& each) { return each.extent == axis.extent; });
}

Blob BlobOfParams(const PackageThere& there) {
  const std::string_view params = there.package->params();
  return {there.package->manifest()["sections"]["params"]["sha256"].get<std::string>(),
          static_cast<int64_t>(params.size()), std::shared_ptr<const char>(there.package, params.data())};
}

// The inputs as ShowExtents lists them: those of the plan, each in its largest shape, and then the extents.
Blob BlobOfInputs(const Plan& plan, const std::map<std::string, Tensor>& inputs) {
  auto bytes = std::make_shared<std::string>();
  std::vector<Shape> shapes;
  for (const int index : plan.inputs) {
    const PlanBuffer& buffer = Nth(plan.buffers, index);
    const Tensor& tensor = inputs.at(buffer.name);
    const size_t begin = bytes->size();
    bytes->resize(begin + static_cast<size_t>(buffer.size_bytes));
    SpreadTensor(static_cast<const char*>(tensor.raw()), tensor.shape(), bytes->data() + begin, buffer.shape,
                 DTypeBytes(buffer.dtype));
    shapes.push_back(tensor.shape());
  }
  RequireAgreement(plan, shapes);
  for (const RangedAxis& axis : plan.ranged) {
    if (!IsFirstOf(plan, axis)) continue;
    const int64_t extent = Nth(Nth(shapes, axis.input), axis.axis);
    bytes->append(reinterpret_cast<const char*>(&extent), sizeof(extent));
  }
  return {Sha256Hex(*bytes), static_cast<int64_t>(bytes->size()), std::shared_ptr<const char>(bytes, bytes->data())};
}

// Adds the counts to the outputs of the plan that a runner gets, because it sends whole outputs. The result names the
// count of each counted axis.
std::vector<relay::CountedOutput> ShowCounts(Plan& plan) {
  std::vector<relay::CountedOutput> shown;
  const auto own = static_cast<int64_t>(plan.outputs.size());
  for (const CountedAxis& counted : plan.counted) {
    auto count = std::find(plan.outputs.begin() + own, plan.outputs.end(), counted.count);
    if (count == plan.outputs.end()) count = plan.outputs.insert(count, counted.count);
    shown.push_back({counted.output, counted.axis, count - plan.outputs.begin(), counted.most});
  }
  plan.counted.clear();
  return shown;
}

std::vector<Tensor> OutputsOf(const PackageThere& there, const std::vector<int>& indices, const std::string& bytes) {
  std::vector<Tensor> outputs;
  size_t used = 0;
  const Plan& plan = there.package->plan();
  for (const int index : indices) {
    const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(index));
    Tensor tensor(buffer.dtype, buffer.shape);
    const auto size = static_cast<size_t>(tensor.size_bytes());
    if (size > bytes.size() - used) {
      throw Error(ExitCode::kBadData, fmt::format("the runner sent {} bytes of outputs, which is less than {} has; a "
                                                  "runner of this version sends all",
                                                  bytes.size(), there.path));
    }
    if (size > 0) std::memcpy(tensor.raw(), bytes.data() + used, size);
    used += size;
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace

CanRun RunsOn(const Environment& machine) {
  return [machine](const Target& target, const std::vector<std::string>& required_features) {
    if (!WhyNotOn(machine, target, 1).empty()) return false;
    const std::vector<std::string_view> words = Words(machine.features);
    const std::set<std::string_view> has(words.begin(), words.end());
    // Features that a machine does not report are no reason to refuse.
    return has.empty() || std::all_of(required_features.begin(), required_features.end(),
                                      [&](const std::string& feature) { return has.contains(feature); });
  };
}

PackageThere ForMachine(const std::string& path, std::shared_ptr<const Package> package, int threads,
                        const Environment& machine) {
  PackageThere there{path, std::move(package), threads > 0 ? threads : machine.cores};
  const std::string why_not = WhyNotOn(machine, there.package->plan().target, there.threads);
  if (!why_not.empty()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} cannot run on {}: {}", path, RunnerName(machine), why_not));
  }
  if (!there.package->plan().states.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("{} keeps states between runs, which a runner does not; it runs on this "
                                              "machine, and --state none of `hone build` leaves them to the caller",
                                              path));
  }
  there.package->VerifyParams();
  return there;
}

void ShowExtents(Plan& plan) {
  for (const RangedAxis& axis : plan.ranged) {
    if (IsFirstOf(plan, axis)) plan.inputs.push_back(axis.extent);
  }
  plan.ranged.clear();
}

PackageJob JobWith(const PackageThere& there, const std::map<std::string, Tensor>& inputs, int runs) {
  const Package& package = *there.package;
  PackageJob job = MakePackageJob(package.plan(), package.lib(), package.params(), there.threads, runs);
  job.exact_params.clear();
  job.params = BlobOfParams(there);
  job.inputs = BlobOfInputs(package.plan(), inputs);
  ShowExtents(job.plan);
  job.timing.deadline_ns = kDeadlineNs;
  // The child maps these bytes and copies them.
  job.timing.memory_bytes += 2 * (job.inputs->size_bytes + OutputBytes(package.plan()));
  return job;
}

void RequireOk(const std::string& name, const JobResult& result) {
  const Measurement& m = result.measurement;
  if (m.fate == Fate::kOk) return;
  throw Error(m.fate == Fate::kRunnerLost ? ExitCode::kNoRunner : ExitCode::kAnswerIsNo,
              fmt::format("{} on {}: {} {}", name, RunnerName(m.environment), FateName(m.fate), m.message));
}

std::vector<Tensor> OutputsHere(const std::shared_ptr<const Package>& package, int threads,
                                const std::map<std::string, Tensor>& inputs) {
  Session session(package, {.threads = threads});
  for (const auto& [name, tensor] : inputs) session.SetInput(name, tensor);
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
}

RanThere RunThere(const PackageThere& there, const std::map<std::string, Tensor>& inputs, Runner& runner) {
  PackageJob job = JobWith(there, inputs, 1);
  job.wants_outputs = true;
  const std::vector<relay::CountedOutput> counted = ShowCounts(job.plan);
  const std::vector<int> outputs = job.plan.outputs;
  runner.SubmitPackage(std::move(job));
  JobResult result;
  if (!runner.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
  RequireOk(there.path, result);
  return {relay::TrueOutputs(counted, OutputsOf(there, outputs, result.outputs)), result.measurement.MinNs(),
          result.measurement.environment};
}

std::unique_ptr<Runner> OneRunner(RemoteRunnerOptions options) {
  options.max_runners = 1;
  return MakeRemoteRunner(options);
}

namespace {

constexpr int64_t kMinRunsThere = 10;
constexpr int64_t kFirstRuns = 3;  // measure how many runs a job may have
constexpr int64_t kMostJobNs = 2'000'000'000;

}  // namespace

PackageTurns::PackageTurns(std::string name, PackageJob job, const TurnLimits& limits, Runner& runner)
    : name_(std::move(name)), job_(std::move(job)), limits_(limits), runner_(runner) {}

void PackageTurns::Take() {
  job_.runs = RunsNow();
  runner_.SubmitPackage(job_);
  JobResult result;
  if (!runner_.Wait(-1, &result)) throw Error(ExitCode::kNoRunner, "the runner gave no answer");
  RequireOk(name_, result);
  Keep(result);
}

bool PackageTurns::Enough() const {
  if (limits_.runs > 0) return runs_ >= limits_.runs;
  return runs_ >= kMinRunsThere && spent_ns_ >= limits_.min_time_ns;
}

std::vector<int64_t> PackageTurns::SamplesNs() const {
  std::vector<int64_t> samples_ns;
  for (const std::vector<int64_t>& job : jobs_ns_) samples_ns.insert(samples_ns.end(), job.begin(), job.end());
  return samples_ns;
}

int PackageTurns::RunsNow() const {
  int64_t runs = kFirstRuns;
  if (limits_.runs > 0) {
    runs = std::min(limits_.runs - runs_, std::max<int64_t>(1, limits_.runs / limits_.rounds));
  } else if (runs_ > 0) {
    const int64_t job_ns = std::min(kMostJobNs, limits_.min_time_ns / limits_.rounds);
    runs = job_ns / std::max<int64_t>(1, spent_ns_ / runs_);
  }
  return static_cast<int>(std::clamp<int64_t>(runs, 1, kMaxPackageRuns));
}

void PackageTurns::Keep(const JobResult& result) {
  const std::vector<int64_t>& samples_ns = result.measurement.samples_ns;
  jobs_ns_.push_back(samples_ns);
  runs_ += static_cast<int64_t>(samples_ns.size());
  spent_ns_ += std::accumulate(samples_ns.begin(), samples_ns.end(), int64_t{0});
  if (call_ns_.empty()) call_ns_ = result.cost.calls_ns;
  for (size_t i = 0; i < std::min(call_ns_.size(), result.cost.calls_ns.size()); ++i) {
    call_ns_[i] = std::min(call_ns_[i], result.cost.calls_ns[i]);
  }
}

void TakeTurns(std::vector<PackageTurns>& turns) {
  while (!std::all_of(turns.begin(), turns.end(), [](const PackageTurns& each) { return each.Enough(); })) {
    for (PackageTurns& each : turns) each.Take();
  }
}

}  // namespace hone
