#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/commands/log/chosen_records.h"
#include "cli/comparison_options.h"
#include "cli/key_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "lab/bench/compare_runtimes.h"
#include "lab/comparison/bench_results.h"
#include "lab/comparison/compare_models.h"
#include "lab/comparison/comparison_json.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "lab/comparison/measure_packages.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/history/history_forms.h"
#include "lab/history/record_changes.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/model/model_kind.h"
#include "lab/records/records.h"
#include "lab/report/history_page.h"
#include "lab/report/report_page.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"

namespace hone {
namespace {

constexpr size_t kMostDifferences = 12;

struct CompareOptions {
  ModelOptions model;
  std::vector<std::string> models;
  RecordComparisonOptions records;
  std::string db, hub, between, html, since;
  std::vector<std::string> results;
  bool from_records = false, measure = false, portability = false, no_records = false;
  std::string keys, min_time = "1s", runtimes, runtime_timeout = "2m";
  RemoteRunnerOptions remote;
  bool layers = false, csv = false, markdown = false;
};

void AddMeasureOptions(CommandLine& line, CompareOptions& options, const Option& measure) {
  line.Add("--tracker", options.remote.tracker, "tcp://HOST:PORT of the tracker for --measure")
      .Env("HONE_TRACKER")
      .About(Topic::kRunners);
  line.Add("--keys", options.keys, "device keys of the runners for --measure, as a,b,c")
      .In(OptionGroup::kRemote)
      .Needs(measure);
  line.AddFlag("--portability", options.portability, "with --measure, time each package on every other machine too")
      .In(OptionGroup::kRemote)
      .Needs(measure);
  line.Add("--runtime", options.runtimes, "with --measure, time these runtimes there, as hone,onnxruntime")
      .In(OptionGroup::kRemote)
      .Needs(measure);
  line.Add("--runtime-timeout", options.runtime_timeout, "how long an adapter may take to answer")
      .Parsed(ParseDuration)
      .In(OptionGroup::kRemote)
      .ShowDefault();
  line.Add("--min-time", options.min_time, "with --measure, least time to run each package")
      .Parsed(ParseDuration)
      .In(OptionGroup::kRemote)
      .ShowDefault();
  line.AddFlag("--no-records", options.no_records, "with --measure, build with analytic defaults instead of records")
      .In(OptionGroup::kRecords);
  AddClientKeyOptions(line, options.remote.keys);
}

void AddOptions(CommandLine& line, CompareOptions& options) {
  line.Add("MODEL", options.models, ".onnx files, or zoo:NAME (`hone zoo` lists them)")
      .ReadsModel()
      .About(Topic::kModel);
  AddModelDetails(line, options.model);
  const Option records =
      line.AddFlag("--from-records", options.from_records, "compare what the store holds; this is the default");
  const Option results =
      line.Add("--results", options.results, "compare packages in these files of `hone bench --json`")
          .Reads()
          .Excludes(records);
  const Option measure = line.AddFlag("--measure", options.measure, "build for runners of --keys, and time there")
                             .Excludes(records)
                             .Excludes(results);
  AddMeasureOptions(line, options, measure);
  AddRecordComparisonOptions(line, options.records);
  AddStoreOption(line, options.db);
  AddHubOption(line, options.hub);
  line.AddFlag("--layers", options.layers, "print every layer on every device");
  line.Add("--between", options.between, "A,B: the layers that differ most between two devices")
      .In(OptionGroup::kOutput);
  const Option csv =
      line.AddFlag("--csv", options.csv, "print a row for each device and model, as CSV").In(OptionGroup::kOutput);
  const Option markdown = line.AddFlag("--markdown", options.markdown, "print the tables in Markdown")
                              .In(OptionGroup::kOutput)
                              .Excludes(csv);
  line.Add("--html", options.html, "also write one page with charts to this file").Parsed(RequirePageName).Writes();
  line.Add("--since", options.since, "what changed in speed since 2026-11-22, or within 90d")
      .Excludes(measure)
      .Excludes(csv)
      .Excludes(markdown);
}

// Requires models or results, and not both.
void RequireSource(const CompareOptions& options) {
  if (!options.results.empty() && !options.models.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("--results tells the models itself; {} is one too many", options.models[0]));
  }
  if (options.results.empty() && options.models.empty()) {
    throw Error(ExitCode::kUsage, "MODEL is missing; right is an .onnx file or zoo:NAME, or --results FILE");
  }
}

ComparisonReport FromResults(const CompareOptions& options) {
  std::vector<PackageTimes> packages;
  for (const std::string& path : options.results) {
    for (PackageTimes& timed : ReadBenchResult(ReadFile(path), path)) packages.push_back(std::move(timed));
  }
  ComparisonReport report;
  report.accepted = ParseLikenessNames(options.records.accept, "--accept");
  report.comparison = ComparePackages(packages);
  SetPrices(options.records.prices, report.comparison);
  return report;
}

// Rejects a key that is named twice, because each runner is a row of its own.
void CheckKeys(const std::vector<std::string>& keys, bool portability) {
  std::set<std::string> seen;
  for (const std::string& key : keys) {
    if (!seen.insert(key).second) throw Error(ExitCode::kUsage, fmt::format("--keys names {} twice", key));
  }
  if (portability && keys.size() < 2) {
    throw Error(ExitCode::kUsage, "--portability needs two machines at least; right is --keys a,b");
  }
}

// A foreign package's time is divided by that of the machine's own package, so threads may differ between machines.
std::vector<std::vector<size_t>> MatrixDevices(const ComparisonReport& report) {
  std::set<std::string> accepted = report.accepted;
  accepted.insert(kThreadsDiffer);
  std::vector<std::vector<size_t>> devices;
  for (size_t model = 0; model < report.comparison.models.size(); ++model) {
    devices.push_back(ComparableDevices(report.comparison, model, accepted));
  }
  return devices;
}

// Throws Error(kUsage) for options that --measure cannot do with.
std::vector<std::string> KeysToMeasure(const CompareOptions& options) {
  std::vector<std::string> keys;
  for (const std::string_view key : Split(options.keys, ',')) {
    if (!key.empty()) keys.emplace_back(key);
  }
  if (keys.empty() || options.remote.tracker.empty()) {
    throw Error(ExitCode::kUsage,
                "--measure needs --tracker and --keys a,b,c; `hone devices --tracker` lists the device keys");
  }
  if (!options.records.machine.target.empty()) {
    throw Error(ExitCode::kUsage, "--measure builds for each machine's own target; leave --target out");
  }
  CheckKeys(keys, options.portability);
  return keys;
}

std::vector<RuntimesOnMachine> MeasuredRuntimes(const CompareOptions& options) {
  CompareRuntimesOptions compare{options.remote, KeysToMeasure(options), options.models, {}, options.records.prices};
  if (options.portability || options.csv || options.markdown || options.layers || !options.between.empty()) {
    throw Error(ExitCode::kUsage,
                "--runtime makes one table of machines by runtimes: without --portability, --layers, --between, --csv "
                "and --markdown");
  }
  RuntimesThereOptions& there = compare.there;
  there.model = options.model;
  there.runtimes = ParseAskedRuntimes(options.runtimes);
  there.timing.threads = options.records.machine.threads;
  there.timing.min_time_ns = ParseDuration(options.min_time);
  there.timing.inputs.shapes = options.model.shapes;
  for (const std::string& dim : options.model.dims) {
    if (dim.find("..") == std::string::npos) there.timing.inputs.dims.push_back(dim);
  }
  there.context = ContextOf(options.records.machine);
  there.records = {options.db, options.hub, options.no_records};
  there.answer_ns = ParseDuration(options.runtime_timeout);
  return CompareRuntimes(compare);
}

int CompareRuntimesCommand(const CompareOptions& options, const CommandLine& line) {
  RequireSource(options);
  const std::vector<RuntimesOnMachine> all = MeasuredRuntimes(options);
  const Json document = RuntimesJson(all);
  const std::vector<RuntimeTable> tables = ReadRuntimeTables(document);
  if (!options.html.empty()) WriteFileAtomically(options.html, ReportPage({}, nullptr, tables));
  line.json() ? PrintJson(document) : Print("{}", ToText(tables, OutputColumns()));
  line.Next("hone tune " + (options.models.size() == 1 ? ShellWord(options.models[0]) : "MODEL") +
            line.Given({Topic::kRunners, Topic::kThreads}) + " --key KEY");
  const auto was_timed = [](const RuntimesOnMachine& on) {
    return std::all_of(on.runtimes.begin(), on.runtimes.end(),
                       [](const RuntimeTimes& runtime) { return runtime.why_not.empty(); });
  };
  return std::all_of(all.begin(), all.end(), was_timed) ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
}

ComparisonReport Measured(const CompareOptions& options, const std::vector<ModelToCompare>& models) {
  MeasureOptions measure;
  measure.remote = options.remote;
  measure.keys = KeysToMeasure(options);
  measure.ported = options.portability;
  measure.threads = options.records.machine.threads;
  measure.context = ContextOf(options.records.machine);
  measure.min_time_ns = ParseDuration(options.min_time);
  measure.records = {options.db, options.hub, options.no_records};
  ComparisonReport report;
  report.accepted = ParseLikenessNames(options.records.accept, "--accept");
  const MeasuredPackages measured = MeasurePackages(models, measure);
  report.comparison = ComparePackages(measured.own);
  SetPrices(options.records.prices, report.comparison);
  if (options.portability) {
    report.portability = PortabilityFromPackages(measured, report.comparison, MatrixDevices(report));
  }
  return report;
}

ComparisonReport MakeReport(const CompareOptions& options) {
  RequireSource(options);
  if (!options.results.empty()) return FromResults(options);
  const std::vector<ModelToCompare> models = LoadModels(options.models, options.model);
  return options.measure ? Measured(options, models)
                         : CompareModels(*OpenExistingStore(options.db), models, options.records);
}

bool HasTimes(const Comparison& c) {
  for (const auto& row : c.cells) {
    for (const ComparedCell& cell : row) {
      if (cell.time.ns > 0) return true;
    }
  }
  return false;
}

size_t DeviceNamed(const Comparison& c, const std::string& name) {
  std::vector<std::string> names;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    if (IsNamed(c.devices[device], name)) return device;
    names.push_back(c.devices[device].name);
  }
  throw Error(ExitCode::kUsage, fmt::format("no device has the device key, label, host or id {}; there are {}", name,
                                            fmt::join(names, ", ")));
}

// Empty unless it is asked for.
std::string BetweenText(const Comparison& c, const std::string& between) {
  if (between.empty()) return "";
  const size_t comma = between.find(',');
  if (comma == std::string::npos) {
    throw Error(ExitCode::kUsage, fmt::format("--between is given \"{}\"; right is A,B", between));
  }
  const size_t a = DeviceNamed(c, between.substr(0, comma)), b = DeviceNamed(c, between.substr(comma + 1));
  std::string text;
  for (size_t model = 0; model < c.models.size(); ++model)
    text += DifferenceText(c, model, a, b, kMostDifferences, OutputColumns());
  return text;
}

void Show(const ComparisonReport& report, const CompareOptions& options, bool json) {
  if (json) return PrintJson(ToJson(report));
  if (options.csv) return Print("{}", ComparisonCsv(report));
  if (options.markdown) return Print("{}", ComparisonMarkdown(report));
  if (report.comparison.devices.empty()) {
    const std::string& device = options.records.device;
    return Print("no device{} has records of these models' layers{}\n",
                 device.empty() ? "" : fmt::format(" whose name has \"{}\"", Printable(device)),
                 device.empty() ? "" : "; `hone compare` without --device shows those that have");
  }
  const std::string between = BetweenText(report.comparison, options.between);
  Print("{}", ComparisonText(report, OutputColumns()));
  if (options.layers) Print("{}", LayersText(report, OutputColumns()));
  Print("{}", PortabilityText(report, OutputColumns()));
  Print("{}", between);
}

// A history has one kind of source at a time: records or results.
History HistoryOf(const CompareOptions& options, int64_t since_ms) {
  const std::set<std::string> accepted = ParseLikenessNames(options.records.accept, "--accept");
  History history;
  history.since_ms = since_ms;
  if (options.results.empty()) {
    const std::unique_ptr<RecordStore> store = OpenExistingStore(options.db);
    const ComparisonReport report = CompareModels(*store, LoadModels(options.models, options.model), options.records);
    RecordQuery devices;
    devices.device = options.records.device;
    if (options.records.machine.threads > 0) devices.threads = options.records.machine.threads;
    history.diffs = RecordChangesSince(*store, devices, LayerNames(report.comparison), since_ms);
    return history;
  }
  std::vector<std::string> texts;
  for (const std::string& path : options.results) texts.push_back(ReadFile(path));
  std::vector<DatedResult> results;
  for (size_t i = 0; i < texts.size(); ++i) results.push_back({options.results[i], texts[i]});
  history.series = BenchHistory(results, since_ms, accepted.contains(kIsNoisy));
  return history;
}

int CompareSince(const CompareOptions& options, const CommandLine& line) {
  RequireSource(options);
  const int64_t since_ms = ParseSince(options.since, NowMs());
  const History history = HistoryOf(options, since_ms);
  if (!options.html.empty()) {
    WriteFileAtomically(options.html, HistoryPage(history, "What became faster and slower since " + DayText(since_ms)));
  }
  if (line.json()) {
    PrintJson(ToJson(history));
  } else {
    PrintVerdicts(history.empty() ? "nothing was timed that can be compared\n" : HistoryText(history, OutputColumns()));
  }
  line.Next(options.results.empty() ? "hone log list" + line.Given({Topic::kStore}) + " --since " + options.since
                                    : "hone bench P.hone --json");
  return history.empty() ? static_cast<int>(ExitCode::kAnswerIsNo) : 0;
}

}  // namespace

int CompareCommand(const Arguments& arguments) {
  CommandLine line("hone compare",
                   "Models across devices: time, noise and share of each machine's roofs, by model and by layer.",
                   "hone compare model.onnx --layers");
  line.First({"--from-records", "--results", "--measure", "--since", "--layers"});
  CompareOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (!options.since.empty()) return CompareSince(options, line);
  if (!options.runtimes.empty()) return CompareRuntimesCommand(options, line);
  ComparisonReport report = MakeReport(options);
  if (!options.html.empty()) WriteFileAtomically(options.html, ReportPage(report, nullptr));
  Show(report, options, line.json());
  const bool has_times = HasTimes(report.comparison);
  // The commands named next take one model.
  const bool one = options.models.size() == 1;
  std::set<Topic> topics = kKernelTopics;
  if (!one) topics.erase(Topic::kModel);
  const std::string given = (one ? "" : " MODEL") + line.Given(topics);
  line.Next(has_times ? "hone build" + given + " -o P.hone" : "hone tune" + given);
  return has_times ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
}

}  // namespace hone
