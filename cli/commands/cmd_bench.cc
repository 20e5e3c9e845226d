#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/bench_options.h"
#include "cli/command_line.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/spelling.h"
#include "lab/bench/baseline.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/built_packages.h"
#include "lab/bench/kept_packages.h"
#include "lab/bench/one_model.h"
#include "lab/bench/print_result.h"
#include "lab/bench/time_packages.h"
#include "lab/bench/time_packages_there.h"
#include "lab/bench/time_runtimes.h"
#include "lab/bench/time_runtimes_there.h"
#include "lab/bench/time_streams.h"
#include "lab/bench/until_told.h"
#include "lab/bench/writers.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/machine/machine.h"
#include "lab/machine/package_there.h"
#include "lab/model/model_kind.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "rpc_runner/health/health_watch.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/machine/sensors.h"
#include "rpc_runner/process/executor_process.h"
#include "runtime/threads/allowed_cores.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

constexpr int kProfiledRuns = 20;
constexpr int64_t kEnergyNs = 1'000'000'000;

// Whether a file is JSON, the form that is compared later, perhaps on another machine.
bool WritesJson(const std::vector<BenchFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const BenchFile& file) { return file.writer->write == BenchJson; });
}

// The whole interval must show a slowdown; an estimate above the limit is not enough.
bool Fails(const BenchResult& result, const BenchOptions& options) {
  const auto slower = [](const Verdict& v) { return v.finding == Finding::kSlower; };
  return !options.fail_above.empty() && std::any_of(result.verdicts.begin(), result.verdicts.end(), slower);
}

// Whether each runtime that was asked for was timed.
bool LacksRuntime(const BenchResult& result) {
  return std::any_of(result.runtimes.begin(), result.runtimes.end(),
                     [](const RuntimeTimes& each) { return !each.why_not.empty(); });
}

// Throws Error(kUsage) for options that do not fit together with what is to be timed.
void CheckModels(const BenchOptions& options) {
  if (!HasModel(options)) {
    const bool keeps = !options.save.empty() || !options.baseline.empty();
    if ((options.records.db.empty() || keeps) && !options.records.no_records) return;
    throw Error(ExitCode::kUsage,
                "--db and --no-records are for a model, or --db for --save and --baseline, which keep packages beside "
                "it; a package was built with its own records");
  }
  if (!IsRemote(options.remote) || !options.runtimes.empty()) return;
  throw Error(ExitCode::kUsage,
              "a model is built for this machine; for a runner give a package: hone build MODEL --target TARGET "
              "-o P.hone");
}

// Throws Error(kUsage) for a dimension that none of several packages has. One that only some have is right.
void RequireDims(const BenchOptions& options) {
  if (options.model.dims.empty()) return;
  const std::set<std::string> known = DimsOfPackages(options.packages);
  for (const std::string& text : options.model.dims) {
    if (known.contains(text.substr(0, text.rfind('=')))) continue;
    throw Error(
        ExitCode::kUsage,
        fmt::format("--dim {}: no package has a free dimension of the name; {}{}", text,
                    known.empty() ? "their shapes are fixed" : fmt::format("they have {}", fmt::join(known, ", ")),
                    DidYouMean(text.substr(0, text.rfind('=')), {known.begin(), known.end()})));
  }
}

// A model is built for the extents of --dim, or for a range of them; other packages run at them. Then not every package
// has each dimension.
void ChooseDims(BenchOptions& options) {
  options.timing.inputs.needs_dims = !HasModel(options) && options.packages.size() < 2;
  if (!HasModel(options) && options.packages.size() > 1) RequireDims(options);
  for (const std::string& text : options.model.dims) {
    const bool is_range = HasModel(options) && text.find("..", text.rfind('=')) != std::string::npos;
    if (!is_range) options.timing.inputs.dims.push_back(text);
  }
}

// Throws Error(kUsage) unless there is one model, timed here, and no other thing to judge it against.
void CheckRuntimes(BenchOptions& options) {
  if (!options.against.empty()) options.runtimes = fmt::format("{},{}", kHoneRuntime, options.against);
  if (options.runtimes.empty()) return;
  const bool alone = options.baseline.empty() && !options.per_op && !options.energy;
  if (options.packages.size() == 1 && HasModel(options) && alone) return;
  const std::string right = ": hone bench model.onnx --runtime " + options.runtimes;
  if (!alone) throw Error(ExitCode::kUsage, "--runtime is without --baseline, --per-op and --energy" + right);
  if (options.packages.size() == 1) {
    throw Error(ExitCode::kUsage, fmt::format("--runtime times one model, and {} is a package, which only hone runs{}",
                                              options.packages[0], right));
  }
  throw Error(ExitCode::kUsage, fmt::format("--runtime times one model; {} are given, and commas join the runtimes{}",
                                            fmt::join(options.packages, " and "), right));
}

// Finds what --baseline names. Throws Error(kUsage) for a name or a number of packages that cannot be kept.
void PrepareKept(BenchOptions& options) {
  if (!options.save.empty()) {
    KeptPackages::RequireName(options.save);
    ParseMemorySize(options.keep_size);
    if (options.packages.size() != 1 || !options.runtimes.empty()) {
      throw Error(ExitCode::kUsage, "--save keeps one package: hone bench P.hone --save " + options.save);
    }
  }
  if (!options.baseline.empty()) options.kept = KeptPackages(options.records.db).OfBaseline(options.baseline);
}

void KeepPackage(const BenchOptions& options, const std::string& bytes, const BenchResult& result) {
  const KeptPackages kept(options.records.db);
  kept.Keep(options.save, bytes, result);
  Note("kept as {0}: hone bench P.hone --baseline {0} times it again\n", options.save);
  const KeptLimits limits{options.keep_days, ParseMemorySize(options.keep_size)};
  for (const std::string& line : kept.Prune(limits, options.save)) Note("{}\n", line);
}

// Throws Error(kUsage) for mistakes that are found without reading a package.
double SmallestEffect(const BenchOptions& options) {
  const double smallest = ParseShare(options.smallest_effect, "--smallest-effect");
  if (options.fail_above.empty()) return smallest;
  if (options.packages.size() < 2 && options.baseline.empty() && options.runtimes.empty()) {
    throw Error(
        ExitCode::kUsage,
        "--fail-above judges two packages; give the old and the new one, or --baseline NAME|FILE and the new one");
  }
  return ParseShare(options.fail_above, "--fail-above");
}

// Packages and models as they take turns: a kept package comes first, so that the others are judged against it.
std::vector<std::string> TakingTurns(const BenchOptions& options) {
  std::vector<std::string> names = options.packages;
  if (options.kept && !options.kept->package.empty()) names.insert(names.begin(), options.kept->package);
  return names;
}

// Throws Error(kUsage) if `paths`, the files that take turns, are of different models.
void RequireOneModelOf(const BenchOptions& options, const std::vector<std::string>& paths) {
  if (options.any_model) return;
  std::vector<std::string> names = TakingTurns(options);
  if (names.size() > options.packages.size()) names[0] = "baseline " + options.kept->name;
  RequireOneModel(paths, names);
}

std::string RoundText(int round, int rounds) {
  return round <= rounds ? fmt::format("round {} of {}", round, rounds)
                         : fmt::format("round {}, because a verdict cannot be told yet", round);
}

// Lets the benchmark go on until verdicts can be told, unless the number of its rounds or runs was given.
void GoOnUntilTold(const BenchOptions& options, double smallest_effect, TimePackagesOptions& timing) {
  const bool counted = options.rounds > 0 || options.timing.runs > 0;
  if (options.until_told.empty() && counted) return;
  const int64_t most_ns = ParseDuration(options.until_told.empty() ? "1m" : options.until_told);
  const auto against = options.runtimes.empty() ? UntilTold::Against::kFirst : UntilTold::Against::kLeast;
  timing.goes_on = UntilTold(most_ns, smallest_effect, against);
}

void TimeRuntimesOn(Runner& runner, const BenchOptions& options, double smallest_effect, BenchResult& result) {
  RuntimesThereOptions there{options.model, ParseAskedRuntimes(options.runtimes), options.timing, {}, options.records};
  there.model.model = options.packages[0];
  there.model.shapes = options.timing.inputs.shapes;
  there.answer_ns = ParseDuration(options.runtime_timeout);
  there.smallest_effect = smallest_effect;
  GoOnUntilTold(options, smallest_effect, there.timing);
  StatusLine status;
  there.timing.progress = [&](int round) { status.Show(RoundText(round, there.timing.rounds)); };
  KeepRuntimes(TimeRuntimesThere(there, runner, &result.machine), there.model.model, result);
  result.context = ContextOf(result.machine);
}

void TimeThere(const BenchOptions& options, double smallest_effect, BenchResult& result, std::string& last_package) {
  if (options.energy) throw Error(ExitCode::kUsage, "--energy is for packages run here, not with --tracker");
  if (!options.streams.empty()) throw Error(ExitCode::kUsage, "--streams is for packages run here, not with --tracker");
  const std::vector<std::string> names = TakingTurns(options);
  if (options.runtimes.empty()) RequireOneModelOf(options, names);
  const std::unique_ptr<Runner> runner = OneRunner(options.remote);
  if (!options.runtimes.empty()) return TimeRuntimesOn(*runner, options, smallest_effect, result);
  result.packages = TimePackagesThere(names, options.timing, options.random_params, *runner, &result.machine);
  result.context = ContextOf(result.machine);
  if (!options.save.empty()) last_package = ReadFile(names.back());
}

// Runs after all timing, because nothing may come between the packages' turns.
void MeasureEnergyHere(const BenchOptions& options, BenchResult& result) {
  EnergyCounter counter;
  result.energy = {true, counter.domains(), counter.why_not()};
  if (counter.domains().empty()) return;
  MeasureEnergy(options.timing.inputs, kEnergyNs, [&counter] { return counter.Joules(); }, result.packages);
}

// Started before building, so that a missing runtime is told at once.
std::optional<TimedRuntimes> StartRuntimes(const BenchOptions& options) {
  if (options.runtimes.empty()) return std::nullopt;
  return std::optional<TimedRuntimes>(
      std::in_place,
      TimedRuntimesOptions{ParseRuntimes(options.runtimes, options.python), ParseDuration(options.runtime_timeout)},
      options.timing.threads);
}

void TimeHere(const BenchOptions& options, double smallest_effect, BenchResult& result, std::string& last_package) {
  std::optional<TimedRuntimes> runtimes = StartRuntimes(options);
  // Before building, whose load is hone's own.
  result.machine = ProbeEnvironment();
  result.context = ProbeContext(result.machine);
  ModelOptions model = options.model;
  model.shapes = options.timing.inputs.shapes;
  const std::vector<std::string> names = TakingTurns(options);
  const BuiltPackages built(names, model, options.timing.threads, options.records);
  RequireOneModelOf(options, built.paths());
  TimePackagesOptions timing = options.timing;
  GoOnUntilTold(options, smallest_effect, timing);
  result.noise.busy_cpus = BusyCpusNow();
  StatusLine status;
  timing.progress = [&](int round) { status.Show(RoundText(round, timing.rounds)); };
  const std::vector<int> cores = AffinityCpus();
  const CpuTicks before = ReadTicks(cores);
  if (runtimes) {
    model.model = options.packages[0];
    KeepRuntimes(runtimes->Time(model, built.paths()[0], timing, smallest_effect), model.model, result);
  } else {
    result.packages = options.streams.empty() ? TimePackages(built.paths(), timing)
                                              : TimeStreams(built.paths(), ParseStreams(options.streams), timing);
  }
  result.noise.steal_share = StealShare(before, ReadTicks(cores));
  if (options.energy) MeasureEnergyHere(options, result);
  if (!runtimes) {
    for (TimedPackage& timed : result.packages) timed.path = built.ArgumentOf(timed.path);
  }
  if (!options.save.empty()) last_package = ReadFile(built.paths().back());
  if (options.keep_roofs) result.machine.roofs = RoofsTextOfThisMachine({}, result.machine);
}

// Without a baseline, judges each package but the first against the first.
std::vector<Verdict> JudgeAgainstFirst(const BenchResult& result, double smallest_effect) {
  std::vector<Verdict> verdicts;
  const bool throughput = result.conditions.throughput;
  for (size_t i = 1; i < result.packages.size(); ++i) {
    verdicts.push_back(JudgePairs(RoundTimes(result.packages[i], throughput),
                                  RoundTimes(result.packages[0], throughput), smallest_effect));
    verdicts.back().package = NameOf(result.packages[i], result.conditions);
    verdicts.back().against = NameOf(result.packages[0], result.conditions);
  }
  return verdicts;
}

// Reads the stored times of --baseline, unless its package takes turns.
std::optional<BenchBaseline> StoredBaseline(const BenchOptions& options) {
  if (options.baseline.empty() || (options.kept && !options.kept->package.empty())) return std::nullopt;
  if (!options.kept) return ReadBaseline(options.baseline);
  Note("the package of {} was pruned: its stored times are judged against, which is less sure\n", options.kept->name);
  return ReadBaseline(options.kept->result);
}

// `last_package` gets the bytes of the last package, if it is to be kept.
BenchResult Bench(const BenchOptions& options, std::string& last_package) {
  const double smallest_effect = SmallestEffect(options);
  for (const std::string& package : options.packages) {
    if (!IsModel(package)) RequirePackageFile(package);
  }
  const std::optional<BenchBaseline> baseline = StoredBaseline(options);
  BenchResult result;
  result.per_op = options.per_op;
  const bool turns = (TakingTurns(options).size() > 1 && options.streams.empty()) || !options.runtimes.empty();
  result.conditions = {!options.streams.empty(), turns ? "turns" : "alone", IsRemote(options.remote),
                       options.timing.inputs.fill};
  result.conditions.there ? TimeThere(options, smallest_effect, result, last_package)
                          : TimeHere(options, smallest_effect, result, last_package);
  if (TakingTurns(options).size() > options.packages.size()) NameKept(*options.kept, result);
  JudgeNoise(result);
  if (baseline) result.noise.notes.emplace_back(kStoredTimes);
  if (baseline && !options.any_model) RequireOneModel(*baseline, result);
  if (!result.runtimes.empty()) {
    result.verdicts = JudgeFirstRuntime(result.runtimes, smallest_effect);
  } else {
    result.verdicts =
        baseline ? JudgeAgainst(*baseline, result, smallest_effect) : JudgeAgainstFirst(result, smallest_effect);
  }
  return result;
}

void Report(const BenchResult& result, const BenchOptions& options, bool json) {
  if (json) return Print("{}", BenchJson(result));
  if (options.csv) return Print("{}", BenchCsv(result));
  if (options.markdown) return Print("{}", BenchMarkdown(result));
  PrintResult(result, options.random_params);
}

std::string NextOfModel(const CommandLine& line, const BenchOptions& options) {
  std::string next = "hone tune " + ShellWord(options.packages[0]);
  for (const std::string& shape : options.timing.inputs.shapes) next += " --shape " + ShellWord(shape);
  for (const std::string& dim : options.model.dims) next += " --dim " + ShellWord(dim);
  if (!options.records.db.empty()) next += " --db " + ShellWord(options.records.db);
  return next + line.Given({Topic::kThreads, Topic::kModel});
}

// A package does not say where its model lies, so after one the next line names no command that takes a model.
std::string NextOf(const CommandLine& line, const BenchOptions& options) {
  const std::string package = ShellWord(options.packages[0]);
  if (HasModel(options))
    return IsModel(options.packages[0]) ? NextOfModel(line, options) : "hone package info " + package;
  if (!options.per_op)
    return "hone bench --per-op " + package + line.Given({Topic::kThreads, Topic::kInputs, Topic::kRunners});
  if (IsRemote(options.remote)) return "hone package info " + package;
  return "hone profile " + package + line.Given({Topic::kThreads, Topic::kInputs});
}

}  // namespace

int BenchCommand(const Arguments& arguments) {
  CommandLine line("hone bench", "Times packages, or models that it builds first, interleaved after a warm-up.",
                   "hone bench old.hone new.hone --min-time 5s");
  line.First({"--threads", "--min-time", "--runtime", "--baseline", "--fail-above"});
  BenchOptions options;
  AddBenchOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (options.rounds > 0) options.timing.rounds = options.rounds;
  if (TimesTexts(options)) return BenchTexts(line, options);
  std::vector<BenchFile> files;
  for (const std::string& text : options.write) {
    files.push_back(ParseBenchFile(text));
    OutputGuard::Own().AddOutput(files.back().path);
  }
  CheckRuntimes(options);
  PrepareKept(options);
  CheckModels(options);
  if (!options.streams.empty()) ParseStreams(options.streams);
  if (options.random_params && !IsRemote(options.remote)) {
    throw Error(ExitCode::kUsage, "--random-params is for a runner; with --tracker and --key it would be right");
  }
  ChooseDims(options);
  options.timing.min_time_ns = ParseDuration(options.min_time);
  options.timing.profiled_runs = options.per_op ? kProfiledRuns : 0;
  options.keep_roofs = line.json() || WritesJson(files);
  std::string last_package;
  const BenchResult result = Bench(options, last_package);
  if (!options.save.empty()) KeepPackage(options, last_package, result);
  for (const BenchFile& file : files) WriteBenchFile(file, result);
  Report(result, options, line.json());
  line.Next(NextOf(line, options));
  return Fails(result, options) || LacksRuntime(result) ? static_cast<int>(ExitCode::kAnswerIsNo) : 0;
}

}  // namespace hone
