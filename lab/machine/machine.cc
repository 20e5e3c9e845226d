#include "lab/machine/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/machine_target.h"
#include "compiler/passes/chosen_passes.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/machine/device_name.h"
#include "lab/model/lengths_file.h"
#include "lab/text/print.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/session.h"

namespace hone {
namespace {

int DefaultThreads(const Machine& machine) {
  if (machine.is_host || machine.context.target.num_cores == 0) return AllowedCores();
  return machine.context.target.num_cores;
}

}  // namespace

BuildContext ContextOf(const MachineOptions& options) {
  BuildContext context;
  context.exact_math = options.math == "exact";
  context.opt_level = options.opt_level;
  context.required_passes = options.required_passes;
  context.disabled_passes = options.disabled_passes;
  context.precision = options.precision == "bfloat16" ? Precision::kBFloat16 : Precision::kFloat32;
  const auto& names = kStoredWeightsNames;
  context.weights = static_cast<StoredWeights>(std::find(names.begin(), names.end(), options.weights) - names.begin());
  context.weight_group = options.group;
  context.byte_rows = options.activations == "int8";
  if (!options.lengths.empty()) context.lengths = ReadLengths(options.lengths);
  return context;
}

namespace {

constexpr int64_t kLeastGroup = 16, kMostGroup = 65536;

// Stored weights apply only to float32, because other precisions determine the weights' type.
void CheckAlone(const MachineOptions& options) {
  if (options.group < kLeastGroup || options.group > kMostGroup || options.group % kLeastGroup != 0) {
    throw Error(ExitCode::kUsage, fmt::format("--group {} is no multiple of {} from {} to {}", options.group,
                                              kLeastGroup, kLeastGroup, kMostGroup));
  }
  if (options.weights == "float32" || options.precision == "float32") return;
  throw Error(ExitCode::kUsage, fmt::format("--weights {} goes with --precision float32, not with {}", options.weights,
                                            options.precision));
}

void CheckWeights(const BuildContext& context) {
  if (context.weights != StoredWeights::kFloat16 || !context.machine().half_loads_feature.empty()) return;
  throw Error(ExitCode::kUsage,
              fmt::format("--weights float16 needs a CPU that widens vectors of it (f16c with AVX2; AArch64); on {} "
                          "weights stay float32",
                          context.target.ToText()));
}

}  // namespace

std::string WhyNoBFloat16(const BuildContext& context) {
  if (!context.machine().bfloat_dots_feature.empty()) return "";
  return fmt::format("needs a CPU that multiplies bfloat16 (avx512bf16; bf16 on AArch64); {} has float32 and int8",
                     context.target.ToText());
}

void CheckPrecision(const BuildContext& context) {
  CheckWeights(context);
  if (context.precision == Precision::kFloat32) return;
  const std::string why_not = WhyNoBFloat16(context);
  if (!why_not.empty()) throw Error(ExitCode::kUsage, "--precision bfloat16 " + why_not);
}

bool ChoosesPasses(const MachineOptions& options) {
  return options.opt_level != MachineOptions().opt_level || !options.required_passes.empty() ||
         !options.disabled_passes.empty();
}

Machine ResolveMachine(const MachineOptions& options) {
  CheckAlone(options);
  Machine machine;
  machine.context = ContextOf(options);
  BuildContext& context = machine.context;
  machine.is_host = options.target.empty() || options.target == "host";
  context.target = machine.is_host ? HostTarget() : ResolveTarget(options.target);
  context.threads = options.threads > 0 ? options.threads : DefaultThreads(machine);
  CheckPasses(context);
  if (machine.is_host) machine.fingerprint = FingerprintOf(ProbeEnvironment());
  CheckPrecision(context);
  return machine;
}

Machine ResolveMachineOf(const MachineOptions& options, const Environment& runner, bool remote) {
  CheckAlone(options);
  const bool of_runner = remote && (options.target.empty() || options.target == "runner");
  Machine machine = of_runner ? Machine() : ResolveMachine(options);
  BuildContext& context = machine.context;
  if (of_runner) context = ContextOf(options);
  if (of_runner) context.target = TargetOf(runner);
  const bool told = !of_runner && !machine.is_host && context.target.num_cores > 0;
  context.threads = options.threads > 0 ? options.threads : told ? context.target.num_cores : runner.cores;
  machine.fingerprint = FingerprintOf(runner);
  const std::string why_not = WhyNotOn(runner, context.target, context.threads);
  if (!why_not.empty()) {
    throw Error(
        ExitCode::kBadConfig,
        fmt::format("{} cannot time this: {}; without --target and --threads its own are taken{}", RunnerName(runner),
                    why_not, of_runner ? "" : ", and --tracker with --key asks a runner on another machine"));
  }
  CheckPrecision(context);
  return machine;
}

void TellTimedOn(const Environment& runner, const BuildContext& context) {
  Note("timing on {} ({}, {}): target {}, {}\n", RunnerName(runner), runner.cpu_model, Counted(runner.cores, "core"),
       context.target.ToText(), Counted(context.threads, "thread"));
}

}  // namespace hone
