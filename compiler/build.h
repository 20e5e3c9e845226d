// The compiler's door: from a module to a package, and from a candidate to an artifact. Start here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/build_context.h"
#include "core/config_source.h"
#include "compiler/relay/expr.h"
#include "core/artifact.h"
#include "core/candidate.h"
#include "core/measurement.h"
#include "core/plan.h"

namespace hone {

// Why a candidate was not compiled: kInvalidConfig, kUnsupported or kCompileFailed, and the reason.
struct Rejection {
  Fate fate = Fate::kInvalidConfig;
  std::string reason;
};

// Compiles one candidate with its workload class's canonical epilogue, or with `epilogue`. A pure function of its
// arguments and of hone's and LLVM's versions: equal arguments give equal bytes. Thread-safe (linking is serialised).
std::variant<Artifact, Rejection> CompileKernel(const Candidate& candidate,
                                                const std::optional<Epilogue>& epilogue = std::nullopt);

// The workload's meaning as a kernel in plain loops, for a runner to check candidates with. Its operands are the inputs
// in logical row-major float32 layouts (the same order as a candidate's), then two float64 outputs in the output's
// logical shape: the value, and the sum of the magnitudes of its terms (sum |x||w| + |bias| + |residual|). The
// activation is applied to the value.
Artifact CompileReference(const Workload& workload, const Target& target);

struct BuildOptions {
  BuildContext context;
  ConfigSource* configs = nullptr;  // not owned; null: analytic defaults only
  // Called after each pass with its name and the module (for --dump-passes).
  std::function<void(const std::string& pass, const relay::IRModule& module)> after_pass;
};

// What the search for layouts found. Nanoseconds by record or estimate, transforms included; 0 below opt_level 3, where
// there is no search.
struct LayoutReport {
  int anchors = 0;     // calls with a schedule
  int transforms = 0;  // calls that only move data between layouts
  double expected_ns = 0;
  double per_layer_ns = 0;  // with the best choice of each layer instead
};

struct BuildReport {
  std::vector<std::pair<std::string, double>> seconds;  // per step, in order
  double flops = 0;
  LayoutReport layouts;
};

struct BuildResult {
  Plan plan;
  std::string package;  // the bytes of the one-file package
  BuildReport report;
};

// Passes, Lower, compile, link, pack. Throws Error(kBadData) naming the node for a model that cannot be lowered.
BuildResult Build(const relay::IRModule& module, const BuildOptions& options);

// The tuning tasks of a module: distinct anchor workloads after the graph passes, with their use counts. They are the
// workloads that Build with the same context looks up.
struct Task {
  Workload workload;
  int uses = 0;
  std::vector<std::string> nodes;  // names of the model's nodes
};
std::vector<Task> ExtractTasks(const relay::IRModule& module, const BuildContext& context);

}  // namespace hone
