#include "cli/machine_options.h"

namespace hone {

void AddThreadsOption(CommandLine& line, int& threads) {
  line.Add("--threads", threads, "threads to use")
      .Default("the allowed cores")
      .Between(1, 1024)
      .Env("HONE_THREADS")
      .About(Topic::kThreads);
}

void AddPassOptions(CommandLine& line, MachineOptions& options) {
  line.Add("-O,--opt-level", options.opt_level,
           "optimisation: 0 without folding, fusion or blocked layouts, 3 with everything")
      .In(OptionGroup::kPasses)
      .Between(0, 3)
      .ShowDefault();
  line.Add("--require-pass", options.required_passes, "pass to run even if -O would leave it out")
      .In(OptionGroup::kPasses);
  line.Add("--disable-pass", options.disabled_passes, "pass to leave out, unless -O0 runs it too")
      .In(OptionGroup::kPasses);
}

void AddLengthsOption(CommandLine& line, MachineOptions& options) {
  line.Add("--lengths", options.lengths, "file of lengths that runs have, lines as `57 1200` (times)")
      .In(OptionGroup::kShapes)
      .Reads()
      .Default("a few lengths of the range")
      .About(Topic::kModel);
}

void AddMachineOptions(CommandLine& line, MachineOptions& options) {
  line.Add("--target", options.target, "machine to compile for: host, a name, a triple or LLVM text")
      .Default("host, or the leased runner")
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
}

namespace {

void AddNumberOptions(CommandLine& line, MachineOptions& options, const std::vector<std::string>& precisions) {
  line.Add("--math", options.math, "exact avoids kernels that trade accuracy for speed, such as Winograd")
      .OneOf({"fast", "exact"})
      .ShowDefault()
      .About(Topic::kMath);
  const bool of_model = precisions.size() > kContextPrecisions.size();
  line.Add("--precision", options.precision,
           of_model ? "number type of layers; int8 and auto need --calibrate"
                    : "number type of layers; sums stay float32")
      .OneOf(precisions)
      .ShowDefault()
      .About(Topic::kMath);
  line.Add("--weights", options.weights, "how dense layers store weights")
      .OneOf({"float32", "float16", "int8", "int4"})
      .ShowDefault()
      .About(Topic::kMath);
  line.Add("--group", options.group, "weights of int8 or int4 that share a scale").ShowDefault().About(Topic::kMath);
  line.Add("--activations", options.activations, "how layers of integer weights multiply their data")
      .OneOf({"float32", "int8"})
      .ShowDefault()
      .About(Topic::kMath);
}

}  // namespace

void AddContextOptions(CommandLine& line, MachineOptions& options, const std::vector<std::string>& precisions) {
  AddMachineOptions(line, options);
  AddNumberOptions(line, options, precisions);
}

void AddContextOptions(CommandLine& line, MachineOptions& options, std::vector<std::string>& targets) {
  line.Add("--target", targets, "machine to compile for; several give one package for all")
      .Default("host")
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
  AddNumberOptions(line, options, kModelPrecisions);
}

}  // namespace hone
