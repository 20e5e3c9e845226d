#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/printing/built_model_text.h"
#include "cli/printing/tune_output.h"
#include "cli/printing/tune_report.h"
#include "cli/quantise_options.h"
#include "cli/record_options.h"
#include "cli/stop.h"
#include "compiler/layers.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "db/patient_store.h"
#include "lab/comparison/compare_records.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/precision/precision_output.h"
#include "lab/precision/prepare_model.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "rpc_runner/machine/core_set.h"
#include "rpc_runner/runner.h"
#include "tuner/best_by_records.h"
#include "tuner/finals/network_finals.h"
#include "tuner/finals/package_gain.h"
#include "tuner/record_config_source.h"
#include "tuner/replay/replay.h"
#include "tuner/search/strategy.h"

namespace hone {
namespace {

constexpr int64_t kDefaultBudgetNs = 300'000'000'000;
constexpr int64_t kMostWaitNs = 24 * 3600 * int64_t{1'000'000'000};  // for a busy runner, if no time budget is given
constexpr int64_t kLeastSearchNs = 1'000'000'000;                    // the part of the budget that waiting leaves
constexpr int64_t kGraceNs = 30'000'000'000;  // by which the session gives up later than the tuner, who tells it

struct TuneCommandOptions {
  ModelOptions model;
  MachineOptions machine;
  TuneOptions tune;
  RemoteRunnerOptions remote;
  PrecisionOptions precision;
  int64_t early_stopping = -1;  // not given
  int64_t begin_ns = 0;         // when the budget's time began
  std::string db, hub, replay, budget, until_gain, cache = "cold-weights", finals = "network", cores;
  std::string runner_wait = "10m";
  bool wide = false;
  std::vector<std::string> tasks;
};

std::string StrategyList() {
  std::string text = "search strategy:";
  for (const StrategyEntry& entry : AllStrategies()) text += fmt::format(" {},", entry.name);
  text.pop_back();
  return text;
}

void AddSearchOptions(CommandLine& line, TuneCommandOptions& options) {
  line.Add("--trials", options.tune.budget.trials, "stop after this many trials in all, earlier runs included")
      .In(OptionGroup::kSearch)
      .Between(int64_t{1}, int64_t{1} << 40);
  line.Add("--budget", options.budget, "stop after this time, as 90s, 10m or 2h")
      .Parsed(ParseDuration)
      .In(OptionGroup::kSearch)
      .Default("5m without another limit");
  line.Add("--until-gain", options.until_gain, "stop when 16 more trials a task promise less gain, as 1%")
      .In(OptionGroup::kSearch);
  line.Add("--early-stopping", options.early_stopping, "leave a task after N trials without gain; 0 never does")
      .In(OptionGroup::kSearch)
      .Default("32 to 128, by its space")
      .Between(0, int64_t{1} << 40);
  line.Add("--strategy", options.tune.strategy, StrategyList()).In(OptionGroup::kSearch).ShowDefault();
  line.Add("--cache", options.cache, "cold-weights times as in a network, warm as a hot loop")
      .In(OptionGroup::kSearch)
      .ShowDefault();
  line.Add("--finals", options.finals, "where to compare the best: in the built network, or alone")
      .In(OptionGroup::kSearch)
      .OneOf({"network", "kernels"})
      .ShowDefault();
  line.Add("--tasks", options.tasks, "only tasks whose workload contains one of these texts").In(OptionGroup::kSearch);
  line.Add("--cores", options.cores, "CPUs to time on, as 0,2-3, big or nosmt+node0").In(OptionGroup::kTarget);
  line.Add("--replay", options.replay, "search in this store's records instead of measuring; keeps nothing")
      .In(OptionGroup::kSearch)
      .Reads();
}

void AddTrackerOptions(CommandLine& line, TuneCommandOptions& options) {
  const Option tracker =
      line.Add("--tracker", options.remote.tracker, "measure on runners of this tracker, tcp://HOST:PORT")
          .Env("HONE_TRACKER")
          .About(Topic::kRunners);
  line.Add("--key", options.remote.key, "device key of the runners to use")
      .Env("HONE_KEY")
      .Needs(tracker)
      .About(Topic::kRunners);
  line.Add("--priority", options.remote.priority, "0 to 255: who waits with the highest comes first")
      .In(OptionGroup::kRemote)
      .Between(0, 255)
      .ShowDefault()
      .Needs(tracker);
  line.AddFlag("--direct", options.remote.direct, "connect to runners of this machine without the tracker")
      .In(OptionGroup::kRemote)
      .Needs(tracker);
  line.Add("--runners", options.remote.max_runners, "most runners to use at once")
      .In(OptionGroup::kRemote)
      .Between(1, 64)
      .ShowDefault()
      .Needs(tracker);
  line.Add("--runner-wait", options.runner_wait, "how long to wait once no runner is left, as 10m")
      .Parsed(ParseDuration)
      .In(OptionGroup::kRemote)
      .ShowDefault()
      .Needs(tracker);
  AddClientKeyOptions(line, options.remote.keys);
}

void AddOptions(CommandLine& line, TuneCommandOptions& options) {
  AddModelOptions(line, options.model);
  AddContextOptions(line, options.machine, kModelPrecisions);
  AddLengthsOption(line, options.machine);
  AddPrecisionOptions(line, options.precision);
  AddStoreOption(line, options.db);
  AddHubOption(line, options.hub);
  AddSearchOptions(line, options);
  AddTrackerOptions(line, options);
  line.AddFlag("--wide", options.wide, "add workloads, configs, peak and stops to the closing table")
      .In(OptionGroup::kOutput);
}

void FilterTasks(std::vector<Task>& tasks, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  const auto unwanted = [&wanted](const Task& task) {
    const std::string text = task.workload.ToText();
    return std::none_of(wanted.begin(), wanted.end(),
                        [&](const std::string& w) { return text.find(w) != std::string::npos; });
  };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), unwanted), tasks.end());
  if (tasks.empty())
    throw Error(ExitCode::kUsage, "no task contains what --tasks says; `hone inspect MODEL --tasks` lists them");
}

std::unique_ptr<Runner> MakeRunner(const TuneCommandOptions& options) {
  if (!options.replay.empty()) return nullptr;
  if (options.remote.tracker.empty()) return MakeLocalRunner(CoresOfThisMachine(options.cores), true);
  if (options.remote.key.empty())
    throw Error(ExitCode::kUsage, "--tracker needs --key; `hone devices --tracker` lists the device keys");
  return MakeRemoteRunner(options.remote);
}

// The machine to tune for. The next line names what a runner resolved the options to.
Machine MachineOf(const TuneCommandOptions& options, Runner* runner, CommandLine& line) {
  if (runner == nullptr) return ResolveMachine(options.machine);
  const bool remote = !options.remote.tracker.empty();
  const Environment environment = runner->Describe();
  const Machine machine = ResolveMachineOf(options.machine, environment, remote);
  if (remote || !options.cores.empty()) line.Resolve("--threads", fmt::format("{}", machine.context.threads));
  if (!remote) return machine;
  line.Resolve("--target", machine.context.target.ToText());
  if (!line.json()) TellTimedOn(environment, machine.context);
  return machine;
}

double ParseUntilGain(const std::string& text) {
  const double share = ParseShare(text, "--until-gain");
  if (share > 0 && share < 1) return share;
  throw Error(ExitCode::kUsage,
              fmt::format("--until-gain is given \"{}\"; right is more than 0 and less than 1", text));
}

// All options but those of the machine.
TuneOptions Complete(const TuneCommandOptions& options) {
  TuneOptions tune = options.tune;
  tune.strategy = FindStrategy(options.tune.strategy).name;
  tune.cache = ParseCacheMode(options.cache);
  tune.seed = options.model.seed;
  tune.model = options.model.model;
  if (ChoosesPrecision(options.machine.precision)) tune.precision = options.machine.precision;
  if (!options.until_gain.empty()) tune.budget.until_gain = ParseUntilGain(options.until_gain);
  if (options.early_stopping >= 0) tune.budget.early_stopping = options.early_stopping;
  tune.cores = CoresOfThisMachine(options.cores);
  tune.runner_patience_ns = ParseDuration(options.runner_wait);
  if (!options.budget.empty()) {
    tune.budget.time_ns = ParseDuration(options.budget);
  } else if (tune.budget.trials == 0 && tune.budget.until_gain == 0) {
    tune.budget.time_ns = kDefaultBudgetNs;
  }
  return tune;
}

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Tuned {
  TuneReport report;
  NetworkFinals network;
  PackageGain package;
  std::optional<ChosenPrecision> precision;
};

// The tuning's subject: the given model as --precision transforms it; with auto, every model that it chooses among.
struct TuningSubject {
  PreparedModel prepared;
  std::vector<Task> tasks;
};
TuningSubject SubjectOf(const TuneCommandOptions& options, const Model& model, const Machine& machine,
                        ModelPreparer& preparer) {
  if (options.machine.precision == "auto") {
    return {{model.typed, machine, std::nullopt}, preparer.TasksOfEachPrecision(machine)};
  }
  PreparedModel prepared = preparer.For(machine, {});
  std::vector<Task> tasks = ExtractTasks(prepared.typed, prepared.machine.context);
  return {std::move(prepared), std::move(tasks)};
}

// Chooses with the records that tuning has made.
PreparedModel ChooseAmongTuned(const TuneCommandOptions& options, ModelPreparer& preparer, const Machine& machine) {
  RecordOptions records;
  records.db = options.db;
  return preparer.For(machine, records);
}

// The records as a build looks them up now, and as it would have looked them up before the run.
struct LookedUp {
  RecordLayers now, before;
};
LookedUp LookUpFor(const TuneCommandOptions& options, const TuneOptions& tune, const RecordStore& store) {
  LookedUp layers{{}, LayersBefore(Borrowed(store), tune)};
  layers.now.Add(kStoreOrigin, StoreLayer(Borrowed(store)));
  for (RecordLayers* both : {&layers.now, &layers.before}) {
    AddOtherRecords({options.db, options.hub, false}, options.model.model, *both);
  }
  return layers;
}

std::map<std::string, ConfigChoice> ChoicesOfBuild(const relay::IRModule& module, const BuildContext& context,
                                                   ConfigSource& records) {
  std::map<std::string, ConfigChoice> choices;
  const ChosenLayers chosen(module, context, &records);
  for (const ChosenLayer& each : chosen.layers()) {
    if (each.layer.workload) choices.emplace(each.layer.workload->ToText(), each.ways.at(each.chosen).choice);
  }
  return choices;
}

// Takes the time of the stages with the built model from the search's budget. `packages` is null if the model is not
// known before the search.
void KeepTimeForModel(PackageComparison* packages, ConfigSource& before, int64_t end_ns, Budget& budget) {
  if (!KeepsTimeForModel(budget.asked_ns)) return;
  if (packages != nullptr) packages->Begin(before);
  const int64_t least_ns = packages != nullptr ? packages->LeastNs() : 0;
  const int64_t most_ns = packages != nullptr ? packages->MostNs() : 0;
  const int64_t share_ns = TimeForModelNs(budget.time_ns, least_ns, most_ns);
  budget.time_ns = std::max(kLeastSearchNs, end_ns - NowNs() - share_ns);
}

Tuned TuneAndRank(const TuneCommandOptions& options, ModelPreparer& preparer, const TuningSubject& subject,
                  TuneOptions tune, Runner& runner, RecordStore& store, TuneOutput& output) {
  PreparedModel prepared = subject.prepared;
  const std::atomic<bool>* stop = CatchStopSignals();
  const bool in_model = options.finals == "network", chooses = options.machine.precision == "auto";
  const int64_t end_ns = tune.budget.time_ns > 0 ? NowNs() + tune.budget.time_ns : 0;
  const LookedUp layers = LookUpFor(options, tune, store);
  tune.layers = &layers.now;
  tune.layers_before = &layers.before;
  const Fingerprint machine = FingerprintOf(runner.Describe());
  RecordConfigSource before(layers.before, machine);
  if (!chooses) tune.built_before = ChoicesOfBuild(prepared.typed, tune.context, before);
  CompiledKernels kernels;
  std::optional<PackageComparison> packages;
  if (!chooses) packages.emplace(prepared.typed, tune, runner, kernels, stop);
  if (in_model) KeepTimeForModel(packages ? &*packages : nullptr, before, end_ns, tune.budget);
  tune.budget.spent_ns = NowNs() - options.begin_ns;
  Tuned tuned;
  tuned.report = Tune(subject.tasks, tune, runner, store, [&](const TuneEvent& event) { output.Observe(event); }, stop);
  tuned.package.why_not = tuned.report.interrupted ? "the run was interrupted" : "no runner was left";
  if (tuned.report.interrupted || !tuned.report.no_runner.empty()) return tuned;
  if (chooses) {
    prepared = ChooseAmongTuned(options, preparer, prepared.machine);
    tune.context = prepared.machine.context;
    packages.emplace(prepared.typed, tune, runner, kernels, stop);
  }
  tuned.precision = prepared.chosen;
  tuned.package.why_not = "--finals kernels leaves the built model out";
  if (in_model) {
    const int64_t finals_end_ns = end_ns > 0 ? end_ns - packages->OwnLeastNs() : 0;
    tuned.network = HoldNetworkFinals(prepared.typed, tune, runner, store, kernels, finals_end_ns, stop);
    RecordConfigSource now(layers.now, machine);
    tuned.package = packages->Finish(before, now, end_ns);
  }
  TakeBests(layers.now, tune.context, tuned.report);
  return tuned;
}

// Hours of measuring must not be lost to a single disk error.
Patience StorePatience() {
  Patience patience;
  patience.now_ns = NowNs;
  patience.sleep = [](int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); };
  patience.tell = [](const std::string& what) { Note("note: {}\n", what); };
  patience.hurried = [stop = CatchStopSignals()] { return stop->load(); };
  return patience;
}

Tuned SearchOrReplay(const TuneCommandOptions& options, Runner* runner, ModelPreparer& preparer,
                     const TuningSubject& subject, const TuneOptions& tune, TuneOutput& output) {
  if (runner == nullptr) {
    const auto observe = [&output](const TuneEvent& event) { output.Observe(event); };
    Tuned replayed;
    replayed.report = Replay(subject.tasks, tune, *OpenExistingStore(options.replay), observe, CatchStopSignals());
    replayed.package.why_not = "a replay runs no package";
    replayed.precision = subject.prepared.chosen;
    return replayed;
  }
  const std::unique_ptr<RecordStore> store = MakePatient(OpenStore(options.db), StorePatience());
  return TuneAndRank(options, preparer, subject, tune, *runner, *store, output);
}

void PrintTuned(const Tuned& tuned, const BuildContext& context, bool wide, bool json) {
  if (!json) {
    const std::string chosen = tuned.precision ? ChosenPrecisionText(*tuned.precision) : "";
    return Print("{}{}{}{}", ReportText(tuned.report, wide), chosen, NetworkFinalsText(tuned.network),
                 PackageGainText(tuned.package, tuned.report));
  }
  Json report = ReportJson(tuned.report);
  report["target"] = context.target.ToText();
  report["threads"] = context.threads;
  report["network_finals"] = NetworkFinalsJson(tuned.network);
  report["package"] = PackageGainJson(tuned.package);
  if (tuned.precision) report["precision"] = ChosenPrecisionJson(*tuned.precision);
  PrintJson(report);
}

}  // namespace

int TuneCommand(const Arguments& arguments) {
  CommandLine line("hone tune",
                   "Searches for the best kernels of a model's tasks and keeps every trial. Run again to go on.",
                   "hone tune model.onnx --budget 10m");
  line.First({"--budget", "--trials", "--target", "--threads", "--tracker"});
  TuneCommandOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  CheckPrecisionOptions(options.machine.precision, options.precision);
  TuneOptions tune = Complete(options);
  tune.budget.asked_ns = tune.budget.time_ns;
  const Model model = LoadModel(options.model);
  // Waiting for a runner counts towards the budget.
  options.remote.lost_timeout_ns = tune.budget.time_ns > 0 ? tune.budget.time_ns : kMostWaitNs;
  options.remote.gone_timeout_ns = tune.runner_patience_ns + kGraceNs;
  options.begin_ns = NowNs();
  // The runner is found before the store is opened, so that a missing tracker leaves no empty store behind.
  const std::unique_ptr<Runner> runner = MakeRunner(options);
  const Machine machine = MachineOf(options, runner.get(), line);
  if (tune.budget.time_ns > 0) {
    tune.budget.time_ns = std::max(kLeastSearchNs, tune.budget.time_ns - (NowNs() - options.begin_ns));
  }
  tune.context = machine.context;
  ModelPreparer preparer(options.model, model, options.machine.precision, options.precision);
  TuningSubject subject = SubjectOf(options, model, machine, preparer);
  tune.images = ImagesOf(subject.prepared.typed);
  FilterTasks(subject.tasks, options.tasks);
  TuneOutput output(line.json(), StatusLine().terminal(), subject.tasks.size(), tune.budget);
  const Tuned tuned = SearchOrReplay(options, runner.get(), preparer, subject, tune, output);
  output.Finish();
  PrintTuned(tuned, machine.context, options.wide, line.json());
  const TuneReport& report = tuned.report;
  if (!report.no_runner.empty()) {
    line.Next(line.Again());
    throw Error(ExitCode::kNoRunner, NoRunnerText(report, StorePath(options.db)));
  }
  const std::string nothing = WhyNothingWorked(report);
  if (!nothing.empty() && !report.interrupted) throw Error(ExitCode::kAnswerIsNo, nothing);
  if (!options.replay.empty()) line.Resolve("--db", options.replay);
  line.Next(report.interrupted ? line.Again() : "hone build" + line.Given(kKernelTopics) + " -o P.hone");
  return StopExitCode(0);
}

}  // namespace hone
