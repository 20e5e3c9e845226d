#include "cli/bench_options.h"

#include <algorithm>

#include "core/text/parse_number.h"
#include "lab/bench/built_packages.h"
#include "rpc_runner/process/executor_process.h"
#include "tuner/tuner.h"

namespace hone {

bool HasModel(const BenchOptions& options) {
  return std::any_of(options.packages.begin(), options.packages.end(), IsModel);
}

bool TimesTexts(const BenchOptions& options) { return options.prompt > 0 || options.generate > 0; }

void AddBenchOptions(CommandLine& line, BenchOptions& options) {
  line.Add("PACKAGE", options.packages, "packages, or models to build first; others are judged against the first")
      .Reads()
      .Required();
  AddThreadsOption(line, options.timing.threads);
  line.Add("--runs", options.timing.runs, "runs of each package")
      .In(OptionGroup::kTiming)
      .Default("as --min-time needs")
      .Between(1, 10'000'000);
  line.Add("--min-time", options.min_time, "least time to run each package")
      .Parsed(ParseDuration)
      .In(OptionGroup::kTiming)
      .ShowDefault();
  line.Add("--rounds", options.rounds, "rounds, each of which loads packages anew; verdicts need 8")
      .In(OptionGroup::kTiming)
      .Default("10, or more by --until-told")
      .Between(1, kMostBenchRounds);
  line.Add("--until-told", options.until_told, "how long rounds are added while a verdict cannot be told")
      .Parsed(ParseDuration)
      .In(OptionGroup::kTiming)
      .Default("1m, none with --rounds or --runs");
  const Option streams = line.Add("--streams", options.streams, "images per second of N sessions at once, as 1,2,4")
                             .In(OptionGroup::kTiming);
  line.Add("--prompt", options.prompt, "times texts of a language model: tokens of the prompt")
      .In(OptionGroup::kTiming)
      .Default("512, if --generate is given")
      .Between(1, 10'000'000)
      .Excludes(streams);
  line.Add("--generate", options.generate, "times texts of a language model: new tokens behind the prompt")
      .In(OptionGroup::kTiming)
      .Default("128, if --prompt is given")
      .Between(2, 10'000'000)
      .Excludes(streams);
  line.AddFlag("--per-op", options.per_op, "also print the median time of every call")
      .In(OptionGroup::kTiming)
      .Excludes(streams);
  line.AddFlag("--any-model", options.any_model, "judge packages of different models against each other")
      .In(OptionGroup::kTiming);
  line.AddFlag("--energy", options.energy, "also measure joules per image, one package at a time")
      .In(OptionGroup::kTiming)
      .Excludes(streams);
  line.Add("--smallest-effect", options.smallest_effect, "smallest difference that matters, as 2%")
      .In(OptionGroup::kTiming)
      .Default("2%, or that of --fail-above")
      .ShowDefault();
  line.Add("--baseline", options.baseline, "kept package to time in turns, or an earlier --json result")
      .In(OptionGroup::kTiming)
      .Reads();
  const Option save =
      line.Add("--save", options.save, "keep the package and its times under this name").In(OptionGroup::kTiming);
  line.Add("--keep-days", options.keep_days, "days that --save leaves packages that nobody uses")
      .In(OptionGroup::kTiming)
      .Between(1, 36'500)
      .Needs(save)
      .ShowDefault();
  line.Add("--keep-size", options.keep_size, "bytes that --save leaves to all kept packages")
      .Parsed(ParseMemorySize)
      .In(OptionGroup::kTiming)
      .Needs(save)
      .ShowDefault();
  const Option runtimes =
      line.Add("--runtime", options.runtimes, "runtimes to time on the model, as hone,onnxruntime,./adapter.py")
          .In(OptionGroup::kTiming)
          .Excludes(streams);
  line.Add("--against", options.against, "the same as --runtime hone,RUNTIME")
      .In(OptionGroup::kTiming)
      .Excludes(streams)
      .Excludes(runtimes);
  line.Add("--python", options.python, "the Python of runtimes that are Python files")
      .In(OptionGroup::kTiming)
      .ShowDefault()
      .Env("HONE_PYTHON");
  line.Add("--runtime-timeout,--against-timeout", options.runtime_timeout, "how long a runtime may take to answer")
      .Parsed(ParseDuration)
      .In(OptionGroup::kTiming)
      .Formerly("--against-timeout")
      .ShowDefault();
  line.Add("--fail-above", options.fail_above, "exit 1 when a package is slower by this, as 3%")
      .In(OptionGroup::kTiming);
  line.Add("--write", options.write, "FORMAT=FILE: json, csv, markdown, hyperfine, otava or mlperf-system").Writes();
  const Option csv = line.AddFlag("--csv", options.csv, "print CSV on stdout").In(OptionGroup::kOutput);
  line.AddFlag("--markdown", options.markdown, "print a Markdown table on stdout")
      .In(OptionGroup::kOutput)
      .Excludes(csv);
  AddInputOptions(line, options.timing.inputs);
  AddPackageShapeOption(line, options.timing.inputs);
  line.Add("--dim", options.model.dims, "extent of a free dimension, as NAME=128; models are built for it")
      .In(OptionGroup::kShapes)
      .About(Topic::kInputs);
  AddRecordOptions(line, options.records);
  AddRemoteOptions(line, options.remote, "time on one of its runners");
  line.AddFlag("--random-params", options.random_params, "send no float32 parameters; the runner draws random ones")
      .In(OptionGroup::kRemote);
}

}  // namespace hone
