#include "cli/machine_options.h"

namespace hone {

void AddThreadsOption(CommandLine& line, int& threads) {
  line.Add("--threads", threads, "threads; by default the cores that affinity and the cgroup allow")
      .Between(1, 1024)
      .Env("HONE_THREADS")
      .About(Topic::kThreads);
}

void AddPassOptions(CommandLine& line, MachineOptions& options) {
  line.Add("-O,--opt-level", options.opt_level, "0: no folding, fusion or blocked layouts; 3: everything")
      .Between(0, 3)
      .ShowDefault();
  line.Add("--require-pass", options.required_passes, "a pass that runs though -O is too low for it");
  line.Add("--disable-pass", options.disabled_passes, "a pass that does not run; one of those that -O0 leaves out");
}

void AddMachineOptions(CommandLine& line, MachineOptions& options) {
  line.Add(
          "--target", options.target,
          "\"host\" (the default), or as \"llvm -mtriple=... -mcpu=... -mattr=+a,-b -num-cores=4\"; tuning on runners: "
          "\"runner\" (the default there)")
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
}

namespace {

void AddNumberOptions(CommandLine& line, MachineOptions& options, const std::vector<std::string>& precisions) {
  line.Add("--math", options.math, "exact: no kernels that trade accuracy for speed, as Winograd's do")
      .OneOf({"fast", "exact"})
      .ShowDefault()
      .About(Topic::kMath);
  const bool of_model = precisions.size() > kContextPrecisions.size();
  line.Add("--precision", options.precision,
           of_model ? "what layers multiply: bfloat16, with sums in float32; int8, quantised by --calibrate; auto: per "
                      "layer the fastest of them within --max-error"
                    : "bfloat16: what layers multiply and keep; sums stay float32")
      .OneOf(precisions)
      .ShowDefault()
      .About(Topic::kMath);
  line.Add("--weights", options.weights,
           "float16: weights of dense layers that wait for them, widened as they are read; products stay float32")
      .OneOf({"float32", "float16"})
      .ShowDefault()
      .About(Topic::kMath);
}

}  // namespace

void AddContextOptions(CommandLine& line, MachineOptions& options, const std::vector<std::string>& precisions) {
  AddMachineOptions(line, options);
  AddNumberOptions(line, options, precisions);
}

void AddContextOptions(CommandLine& line, MachineOptions& options, std::vector<std::string>& targets) {
  line.Add("--target", targets,
           "\"host\" (the default), or as \"llvm -mtriple=... -mcpu=... -mattr=+a,-b -num-cores=4\"; given several "
           "times, the package holds code for each, and what loads it takes the best that it can run")
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
  AddNumberOptions(line, options, kModelPrecisions);
}

}  // namespace hone
