#include "tuner/finals/variant_timer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/build.h"
#include "core/error.h"
#include "rpc_runner/executor/package_job.h"
#include "runtime/load/package_parts.h"
#include "tuner/finals/network_variants.h"

namespace hone {

bool SameKernels(const Variant& a, const Variant& b) {
  const std::vector<PlanKernel>&x = a.job.plan.kernels, &y = b.job.plan.kernels;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const PlanKernel& p, const PlanKernel& q) {
    const Dispatch &m = p.dispatch, &n = q.dispatch;
    return m.workload == n.workload && m.schedule == n.schedule && m.config == n.config;
  });
}

namespace {

int64_t CompileNs(const BuildReport& report) {
  for (const auto& [step, seconds] : report.seconds) {
    if (step == kCompileStep) return static_cast<int64_t>(seconds * 1e9);
  }
  return 0;
}

}  // namespace

VariantTimer::VariantTimer(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                           const TuneTools& tools, CompiledKernels& kernels, const std::atomic<bool>* stop)
    : module_(module),
      options_(options),
      runner_(runner),
      tools_(tools),
      kernels_(kernels),
      stop_(stop),
      random_(options.seed) {}

Variant VariantTimer::BuildWith(ConfigSource& source) {
  const int64_t begin_ns = tools_.now_ns();
  BuildOptions build;
  build.context = options_.context;
  build.configs = &source;
  build.kernels = &kernels_;
  const BuildResult built = Build(module_, build);
  const PackageSections parts = SplitPackage(built.package, "variant");
  Variant variant;
  variant.job = MakePackageJob(built.plan, parts.lib, parts.params, options_.context.threads, kRuns);
  const int64_t ns = tools_.now_ns() - begin_ns;
  build_ns_ = std::max(build_ns_, ns);
  rebuild_ns_ = std::max<int64_t>(0, ns - CompileNs(built.report));
  return variant;
}

int64_t VariantTimer::CostNs(const Variant& variant) {
  Variant once = variant;
  const int64_t begin_ns = tools_.now_ns();
  TimeOnce(once, JobGroup(runner_));
  return tools_.now_ns() - begin_ns;
}

// Returns false when the budget is over and no result came.
bool VariantTimer::WaitUntilLate(JobResult* result) {
  if (deadline_ns_ == 0) return runner_.Wait(-1, result);
  while (!runner_.Wait(RunnerWaits::kLookNs, result)) {
    if (stopping() || tools_.now_ns() > deadline_ns_ + RunnerWaits::kAfterHaltNs) return false;
  }
  return true;
}

void VariantTimer::TimeOnce(Variant& variant, const JobGroup& group) {
  variant.job.group = group.number();
  const JobId id = runner_.SubmitPackage(variant.job);
  JobResult result;
  do {
    if (!WaitUntilLate(&result)) throw Error(ExitCode::kNoRunner, "no runner answered within the budget");
  } while (result.id != id);
  if (result.measurement.fate != Fate::kOk) throw Error(ExitCode::kNoRunner, result.measurement.message);
  variant.total_ns.push_back(std::accumulate(result.cost.calls_ns.begin(), result.cost.calls_ns.end(), int64_t{0}));
  for (const auto& [workload, ns] : NsByWorkload(variant.job.plan, result.cost.calls_ns)) {
    variant.workload_ns[workload].push_back(ns);
  }
}

bool VariantTimer::Time(const std::vector<Variant*>& variants, int rounds) {
  const JobGroup group(runner_);
  std::vector<Variant*> order = variants;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.Below(i)]);
    for (Variant* variant : order) {
      if (stopping()) return false;
      TimeOnce(*variant, group);
    }
  }
  return true;
}

}  // namespace hone
