#include "compiler/build.h"

#include <chrono>

#include "compiler/codegen/object.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/index_inputs.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/infer_type.h"

namespace hone {
namespace {

class StepClock {
 public:
  explicit StepClock(BuildReport& report) : report_(report) {}
  // The time since the last step, under this name.
  void Done(const std::string& step) {
    const auto now = std::chrono::steady_clock::now();
    report_.seconds.emplace_back(step, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  BuildReport& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

LayoutReport ReportLayouts(const relay::IRModule& module) {
  const relay::Attrs& attrs = module.main->attrs;
  LayoutReport report;
  report.expected_ns = attrs.GetFloat("expected_ns");
  report.per_layer_ns = attrs.GetFloat("per_layer_ns");
  for (const relay::ExprPtr& expr : PostOrder(module.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
    if (function == nullptr) continue;
    report.anchors += function->attrs.Find("workload") != nullptr;
    report.transforms += relay::AsCallTo(function->body, "layout_transform") != nullptr;
  }
  return report;
}

}  // namespace

BuildResult Build(const relay::IRModule& module, const BuildOptions& options) {
  BuildResult result;
  StepClock clock(result.report);
  const relay::IRModule optimized = RunPasses(module, {options.context, options.configs}, options.after_pass);
  clock.Done("passes");
  result.report.layouts = ReportLayouts(optimized);
  Lowered lowered = Lower(optimized, options.context);
  clock.Done("lower and compile");
  const std::string lib = LinkShared(lowered.objects, options.context.target);
  clock.Done("link");
  result.package = WritePackage(lowered.plan, lib, lowered.params, IndexExtents(relay::InferType(module)));
  clock.Done("pack");
  result.report.flops = lowered.flops;
  result.plan = std::move(lowered.plan);
  return result;
}

}  // namespace hone
