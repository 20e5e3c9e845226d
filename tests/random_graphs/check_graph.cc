#include "tests/random_graphs/check_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/random_graphs/emulated_run.h"
#include "tests/random_graphs/guarded_run.h"
#include "tests/random_graphs/judged_outputs.h"
#include "tests/random_graphs/onnx_graph_bytes.h"
#include "tests/support/emulated_program.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;
using Outputs = std::vector<Tensor>;

Inputs MakeInputs(const relay::IRModule& typed, uint64_t seed) {
  Inputs inputs;
  for (const auto& param : typed.main->params) {
    Tensor value(param->type->dtype, param->type->shape);
    FillTensor(value, Fill::kNormal, seed++);
    inputs.emplace(param->name, value);
  }
  return inputs;
}

Outputs RunSession(const std::shared_ptr<const Package>& package, const Inputs& inputs, int threads, int runs) {
  Session session(package, {.threads = threads});
  for (const auto& [name, value] : inputs) session.SetInput(name, value);
  for (int i = 0; i < runs; ++i) session.Run();
  Outputs outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
}

bool SameBits(const Outputs& a, const Outputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.size_bytes() == y.size_bytes() &&
           (x.size_bytes() == 0 || std::memcmp(x.raw(), y.raw(), static_cast<size_t>(x.size_bytes())) == 0);
  });
}

BuildOptions OptionsOf(const GraphRun& run) {
  BuildOptions options;
  options.context = {run.target, run.threads, run.exact_math, run.opt_level, run.precision};
  if (!run.disabled_pass.empty()) options.context.disabled_passes = {run.disabled_pass};
  return options;
}

// The module that the package must compute: with bfloat16, the one that rounds where the package does. Where a sum lies
// between two bfloat16 values, the slightly moved reference falls to either side as well.
relay::IRModule Judged(const relay::IRModule& typed, const GraphRun& run) {
  if (run.precision == Precision::kFloat32) return typed;
  return RunPassesUntil("store_bfloat16", typed, {OptionsOf(run).context});
}

GraphCheck CheckEmulated(const relay::IRModule& typed, const GraphRun& run) {
  const Inputs inputs = MakeInputs(typed, run.seed);
  const Outputs got = RunEmulatedModule(typed, OptionsOf(run), inputs);
  const relay::IRModule judged = Judged(typed, run);
  const auto wrong = WrongOutput(judged, inputs, RunReference(judged, inputs), got);
  return wrong ? GraphCheck{Verdict::kWrong, *wrong} : GraphCheck{};
}

GraphCheck CheckPackage(const relay::IRModule& typed, const BuildResult& built, const GraphRun& run,
                        const CheckStep& step) {
  const auto package = Package::FromBytes(built.package, "random");
  const Inputs inputs = MakeInputs(typed, run.seed);
  const relay::IRModule judged = Judged(typed, run);
  const Outputs expected = RunReference(judged, inputs);
  step("session");
  const Outputs alone = RunSession(package, inputs, 1, 1);
  if (const auto wrong = WrongOutput(judged, inputs, expected, alone)) return {Verdict::kWrong, *wrong};
  step("guarded run");
  if (!SameBits(alone, RunGuarded({package->plan(), package->lib(), package->params()}, inputs, run.seed))) {
    return {Verdict::kBits, "in memory of its own for each buffer, with ranges cut elsewhere"};
  }
  step("session");
  if (!SameBits(alone, RunSession(package, inputs, 1, 2))) return {Verdict::kBits, "in the second run"};
  if (SameBits(alone, RunSession(package, inputs, run.session_threads, 1))) return {};
  return {Verdict::kBits, fmt::format("with {} threads", run.session_threads)};
}

// A model that was imported must build and run, so every error is a failure.
GraphCheck BuildAndRun(const relay::IRModule& typed, const GraphRun& run, const CheckStep& step) {
  step("build");
  if (!testing::EmulatorFor(run.target).empty()) return CheckEmulated(typed, run);
  return CheckPackage(typed, Build(typed, OptionsOf(run)), run, step);
}

}  // namespace

std::string GraphRun::ToText() const {
  return fmt::format("-O{} threads={} session-threads={}{}{} {} seed={} {}", opt_level, threads, session_threads,
                     exact_math ? " exact" : "", disabled_pass.empty() ? "" : " without " + disabled_pass,
                     PrecisionName(precision), seed, target.ToText());
}

GraphRun DrawGraphRun(uint64_t seed, const Target& target) {
  Random random(~seed);
  GraphRun run;
  run.target = target;
  run.opt_level = random.Below(5) == 0 ? static_cast<int>(random.Below(3)) : 3;
  run.threads = 1 + static_cast<int>(random.Below(4));
  run.session_threads = 2 + static_cast<int>(random.Below(3));
  run.exact_math = random.Below(4) == 0;
  if (random.Below(6) == 0) run.precision = Precision::kBFloat16;
  run.seed = seed;
  std::vector<std::string> optional;
  for (const Pass& pass : AllPasses()) {
    if (pass.min_level > 0) optional.push_back(pass.name);
  }
  if (random.Below(4) == 0) run.disabled_pass = optional[random.Below(optional.size())];
  return run;
}

std::string VerdictName(Verdict verdict) {
  constexpr const char* kNames[] = {"right", "refused", "thrown", "wrong", "bits", "crashed", "hung"};
  return kNames[static_cast<int>(verdict)];
}

GraphCheck CheckGraph(const OnnxGraph& graph, const GraphRun& run, const CheckStep& step) {
  relay::IRModule typed;
  try {
    step("import");
    typed = relay::InferType(ImportOnnxBytes(OnnxBytes(graph), "random").module);
  } catch (const Error& error) {
    const bool refused = error.code() == ExitCode::kBadData || error.code() == ExitCode::kUsage;
    return {refused ? Verdict::kRefused : Verdict::kThrown, error.what()};
  }
  try {
    return BuildAndRun(typed, run, step);
  } catch (const std::exception& error) {
    return {Verdict::kThrown, error.what()};
  }
}

}  // namespace hone
