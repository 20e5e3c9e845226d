// The compiler's door: from a module to a package. compile_kernel.h goes from a candidate to an artifact. Start here.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/passes/layouts/layout_report.h"
#include "compiler/passes/narrow_weights.h"
#include "compiler/plan/param_bytes.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/candidate.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {

class CompiledKernels;

struct BuildOptions {
  BuildContext context;
  ConfigSource* configs = nullptr;  // not owned; null: analytic defaults only
  double variant_gain = kVariantGain;
  // Called after each pass with its name and the module (for --dump-passes).
  std::function<void(const std::string& pass, const relay::IRModule& module)> after_pass;
  std::string model_sha256 = {};    // of the model's file, for the package's manifest; empty: none
  PackagePrecision precision = {};  // for the manifest; float32 is replaced by the context's precision if that differs
  CompiledKernels* kernels = nullptr;  // of earlier builds for the same target, and of this one afterwards; not owned
  bool joins_params = true;            // whether BuildResult::package has a copy of the parameters
};

inline constexpr const char* kCompileStep = "lower and compile";

struct BuildReport {
  std::vector<std::pair<std::string, double>> seconds;       // per step, in order
  std::vector<std::pair<std::string, double>> pass_seconds;  // per pass that ran, in order, including its InferType
  double flops = 0;
  // Estimated time of one call of each of the plan's kernels (compiler/plan/kernel_table.h); 0 if unknown.
  std::vector<double> estimate_ns;
  LayoutReport layouts;
  std::vector<KeptWeights> kept_weights;  // float32 although the context asks for narrower ones
};

struct BuildResult {
  Plan plan;
  std::string package;  // the bytes of the one-file package; unless options.joins_params, those in front of `params`
  ParamBytes params;    // the last bytes of the package; empty if they are in `package`
  BuildReport report;
};

// Passes, Lower, compile, link, pack. Throws Error: kBadData naming the node for a model that cannot be lowered, kUsage
// for names of passes that CheckPasses (compiler/passes/chosen_passes.h) refuses.
BuildResult Build(const relay::IRModule& module, const BuildOptions& options);

// The tuning tasks of a module: distinct anchor workloads after the graph passes, with their use counts. They are the
// workloads that Build with the same context looks up. A layer of a ranged module is a task for each of a few lengths
// (graph/run_lengths.h): the workload that a model of just that length has.
struct Task {
  Workload workload;
  int uses = 0;
  std::vector<std::string> nodes;  // names of the model's nodes
  double share = 1;                // of the runs, where BuildContext::lengths tells it
};
std::vector<Task> ExtractTasks(const relay::IRModule& module, const BuildContext& context);

}  // namespace hone
