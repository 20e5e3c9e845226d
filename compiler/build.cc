#include "compiler/build.h"

#include <chrono>
#include <map>

#include "compiler/codegen/target/object.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/anchor_result.h"
#include "compiler/passes/graph/run_lengths.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/pack_weights.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/index_inputs.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/infer_type.h"

namespace hone {
namespace {

class StepClock {
 public:
  explicit StepClock(std::vector<std::pair<std::string, double>>& seconds) : seconds_(seconds) {}
  // Records the time since the last step under this name.
  void Done(const std::string& step) {
    seconds_.emplace_back(step, std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count());
    Begin();
  }
  // Starts a step, leaving out the time since the last one.
  void Begin() { last_ = std::chrono::steady_clock::now(); }

 private:
  std::vector<std::pair<std::string, double>>& seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Layers whose weights could not be stored as asked.
std::vector<KeptWeights> KeptWeightsOf(const relay::IRModule& module, StoredWeights asked) {
  if (asked == StoredWeights::kFloat32) return {};
  return asked == StoredWeights::kFloat16 ? WeightsKeptWide(module) : WeightsNotPacked(module);
}

relay::IRModule TimedPasses(const relay::IRModule& typed, const BuildOptions& options, BuildReport& report) {
  StepClock clock(report.pass_seconds);
  const PassContext context{options.context, options.configs, nullptr, options.variant_gain};
  return RunPasses(typed, context, [&](const std::string& pass, const relay::IRModule& now) {
    clock.Done(pass);
    if (pass == "narrow_weights") report.kept_weights = KeptWeightsOf(now, options.context.weights);
    if (options.after_pass) options.after_pass(pass, now);
    clock.Begin();
  });
}

PackagePrecision PrecisionOf(const BuildOptions& options) {
  PackagePrecision precision = options.precision;
  if (precision.name == "float32") precision.name = PrecisionName(options.context.precision);
  return precision;
}

}  // namespace

BuildResult Build(const relay::IRModule& module, const BuildOptions& options) {
  BuildResult result;
  StepClock clock(result.report.seconds);
  const relay::IRModule typed = relay::InferType(module);
  const relay::IRModule optimized = TimedPasses(typed, options, result.report);
  clock.Done("passes");
  result.report.layouts = ReportLayouts(optimized);
  Lowered lowered = Lower(optimized, options.context, options.kernels);
  clock.Done(kCompileStep);
  const std::string lib = LinkShared(lowered.objects, options.context.target);
  clock.Done("link");
  const PackageFacts facts{IndexExtents(typed),
                           options.model_sha256,
                           BuiltFacts(options.context, lowered.kernel_keys),
                           {},
                           PrecisionOf(options)};
  result.package = (options.joins_params ? WritePackage : PackageFront)(lowered.plan, lib, lowered.params, facts);
  if (!options.joins_params) result.params = std::move(lowered.params);
  clock.Done("pack");
  result.report.flops = lowered.flops;
  result.report.estimate_ns = std::move(lowered.estimate_ns);
  result.plan = std::move(lowered.plan);
  return result;
}

std::vector<Task> ExtractTasks(const relay::IRModule& module, const BuildContext& context) {
  const relay::IRModule fused = RunPassesUntil("fuse", relay::InferType(module), {context});
  const NeededResults needed(fused, context.lengths);
  std::vector<Task> tasks;
  std::map<std::string, size_t> index;
  const auto add = [&](const Workload& workload, double share, const std::string& node) {
    const auto [it, is_new] = index.try_emplace(workload.ToText(), tasks.size());
    if (is_new) tasks.push_back({workload, 0, {}});
    Task& task = tasks[it->second];
    ++task.uses;
    task.share = share;
    if (!node.empty()) task.nodes.push_back(node);
  };
  for (const relay::ExprPtr& expr : PostOrder(fused.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const Anchor* anchor = call ? AnchorOf(*relay::AsFunction(call->op)) : nullptr;
    if (anchor == nullptr) continue;
    const std::vector<NeededResult> parts = needed.Of(*call);
    double all = 0;
    for (const NeededResult& part : parts) all += part.share;
    for (const auto& [shape, share] : parts) {
      add(WithResult(anchor->workload, shape), all > 0 ? share / all : 1, anchor->node);
    }
  }
  return tasks;
}

}  // namespace hone
