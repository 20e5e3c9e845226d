#include "compiler/replace_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/passes/layouts/config_chooser.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/index_inputs.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/package_writer.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/version.h"

namespace hone {
namespace {

// Another version may pack parameters in a way that this code does not know.
PackageFacts::Built BuiltOf(const BuiltParts& parts, const std::string& name) {
  const std::string version = parts.manifest.value("hone", "");
  if (version != HoneVersion()) {
    throw Error(ExitCode::kBadConfig, fmt::format("{} was built by hone {}, this is {}: build it again", name,
                                                  version.empty() ? "of no version" : version, HoneVersion()));
  }
  const PackageFacts facts = FactsOf(parts.manifest);
  if (facts.built) return *facts.built;
  throw Error(ExitCode::kBadConfig, fmt::format("{} does not tell how it was built: build it again", name));
}

BuildContext ContextOf(const Plan& plan, const PackageFacts::Built& built) {
  BuildContext context;
  context.target = plan.target;
  context.threads = plan.threads;
  context.exact_math = built.exact_math;
  context.opt_level = built.opt_level;
  context.precision = built.precision;
  context.weights = built.weights;
  context.required_passes = built.required_passes;
  context.disabled_passes = built.disabled_passes;
  return context;
}

// "nn.conv2d of conv1": the first call that runs the kernel.
std::string CallOfKernel(const Plan& plan, size_t kernel) {
  for (const PlanCall& call : plan.calls) {
    if (static_cast<size_t>(call.kernel) != kernel) continue;
    return call.nodes.empty() ? call.op : fmt::format("{} of {}", call.op, call.nodes.front());
  }
  return "a kernel";
}

void RequireSameKernels(const Plan& plan, const PackageFacts::Built& now, const PackageFacts::Built& then,
                        const std::string& name) {
  if (now.kernels == then.kernels) return;
  const auto differ = std::mismatch(now.kernels.begin(), now.kernels.end(), then.kernels.begin(), then.kernels.end());
  const auto kernel = static_cast<size_t>(differ.first - now.kernels.begin());
  const std::string what = kernel < now.kernels.size() ? CallOfKernel(plan, kernel) : "fewer calls";
  throw Error(ExitCode::kBadData,
              fmt::format("this model, with these parameters, is computed otherwise than {} computes it, from {} on: "
                          "`hone build` would be right",
                          name, what));
}

}  // namespace

Lowered Repack(const BuiltParts& parts, const relay::IRModule& typed, const std::string& name) {
  const PackageFacts::Built then = BuiltOf(parts, name);
  const BuildContext context = ContextOf(parts.plan, then);
  const ChosenConfigs chosen(parts.plan);
  Lowered lowered = LowerWithoutCode(RunPasses(typed, {context, nullptr, &chosen}), context);
  RequireSameKernels(lowered.plan, BuiltFacts(context, lowered.kernel_keys), then, name);
  lowered.plan.kernels = parts.plan.kernels;
  return lowered;
}

std::string ReplaceParams(const BuiltParts& parts, const relay::IRModule& module, const std::string& name,
                          const std::string& model_sha256) {
  const relay::IRModule typed = relay::InferType(module);
  const Lowered lowered = Repack(parts, typed, name);
  PackageFacts facts = FactsOf(parts.manifest);
  facts.index_extents = IndexExtents(typed);
  facts.model_sha256 = model_sha256;
  facts.open_params = nullptr;
  return WritePackage(lowered.plan, parts.lib, lowered.params, facts);
}

}  // namespace hone
