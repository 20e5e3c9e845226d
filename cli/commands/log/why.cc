#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "compiler/build.h"
#include "compiler/schedules/layout_defaults.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "lab/files/read_file.h"
#include "lab/machine/device_name.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

using RecordVerdict = ConsideredRecord::Verdict;

// The answer of `hone log why`.
struct WhyAnswer {
  Task task;
  Machine machine;
  std::vector<ConsideredRecord> considered;         // as RecordConfigSource::Consider orders them
  std::vector<std::optional<ExpectedLoss>> losses;  // of each considered record
  std::optional<ConfigChoice> taken;                // present if a record is taken
  DefaultConfig otherwise;                          // the analytic default, which a build uses if no record is taken
};

// The default among the schedules that the math mode allows.
DefaultConfig DefaultOf(const Workload& workload, const BuildContext& context) {
  const auto allowed = [&](const Schedule& schedule, const Config&) { return !context.exact_math || schedule.exact(); };
  const std::vector<PairDefault> all = LayoutDefaults(workload, context.machine(), allowed);
  return std::min_element(
             all.begin(), all.end(),
             [](const PairDefault& a, const PairDefault& b) { return a.best.estimate_ns < b.best.estimate_ns; })
      ->best;
}

std::string RankText(int rank) {
  switch (rank) {
    case 1:
      return "this machine at other threads";
    case 2:
      return "another machine of this microarchitecture";
    case 3:
      return "another machine";
    default:
      return "exactly this machine";
  }
}

std::string BehindText(const ConsideredRecord& considered, const BestWanted& wanted) {
  const BestRow& row = considered.row;
  switch (considered.decided) {
    case Criterion::kRank:
      return "measured on " + RankText(row.rank);
    case Criterion::kEmulated:
      return "measured under an emulator";
    case Criterion::kLoss:
      return "its kind of machine loses more here, or nobody knows";
    case Criterion::kCode:
      return fmt::format("code for {}, not {}", row.setup->target.cpu, wanted.target.cpu);
    case Criterion::kThreads:
      return fmt::format("measured at --threads {}", row.setup->threads);
    case Criterion::kWorth:
      return row.worth_ns != row.min_ns ? "beaten in finals" : "slower";
    case Criterion::kFinals:
      return "as fast, and of no finals";
    case Criterion::kSample:
    case Criterion::kId:
      return "as fast";
  }
  return "";
}

std::string LeftOutText(const ConsideredRecord& considered) {
  const BestRow& row = considered.row;
  switch (considered.left_out) {
    case LeftOut::kFailed:
      if (row.fate == Fate::kOk) return "has no time";
      return fmt::format("failed: {}{}", FateName(row.fate),
                         row.blames_for_machine ? ", by the machine's fault (hone log heal takes it out)" : "");
    case LeftOut::kNoisy:
      return "noisy";
    case LeftOut::kOtherArchitecture:
      return fmt::format("code for {}", row.setup->target.triple);
    case LeftOut::kLacksFeatures:
      return fmt::format("the target lacks {}", considered.detail);
    case LeftOut::kFailedSince:
      return fmt::format("failed since: {}", considered.detail);
    case LeftOut::kDoubtedSince:
      return fmt::format("doubted since: {}", considered.detail);
    case LeftOut::kOtherKind:
      return "measured on another kind of machine, and not asked for";
    case LeftOut::kOtherCache:
      return fmt::format("timed {}, others cold-weights", CacheModeName(row.setup->cache));
  }
  return "";
}

std::string MachineText(const Target& target, int threads) {
  return fmt::format("{}, {} thread{}", target.cpu, threads, threads == 1 ? "" : "s");
}

std::string DeviceOf(const BestRow& row, const RecordLayers& layers) {
  const auto record = layers.Get(row.id.text());
  return record ? DeviceName(*record) : row.llvm_cpu;
}

BestWanted WantedOf(const WhyAnswer& answer) {
  return {answer.machine.context.target, answer.machine.fingerprint, answer.machine.context.threads};
}

std::string TakenText(const WhyAnswer& answer, const RecordLayers& layers) {
  const auto taken = std::find_if(answer.considered.begin(), answer.considered.end(),
                                  [](const ConsideredRecord& c) { return c.verdict == RecordVerdict::kTaken; });
  if (taken == answer.considered.end()) {
    return fmt::format("taken: the analytic default, {} {}, estimated {}; no record may be used\n",
                       answer.otherwise.schedule->name(), answer.otherwise.config.ToText(),
                       TimeText(static_cast<int64_t>(answer.otherwise.estimate_ns)));
  }
  const BestRow& row = taken->row;
  const std::string loss = LossText(answer.losses[static_cast<size_t>(taken - answer.considered.begin())]);
  return fmt::format("taken: {} of {}, {} {}, {}, measured on {}: {} ({}){}\n", row.id.view(), layers.OriginOf(row),
                     row.schedule(), row.config(), TimeText(row.min_ns), RankText(row.rank), DeviceOf(row, layers),
                     answer.taken->source, loss.empty() ? "" : "; expected loss " + loss);
}

WhyAnswer AskWhy(const Task& task, const Machine& machine, const RecordLayers& layers,
                 const RecordConfigSource& source) {
  const BuildContext& context = machine.context;
  const MachineModel model = context.machine();
  WhyAnswer answer{task, machine, {}, {}, std::nullopt, DefaultOf(task.workload, context)};
  if (layers.empty()) return answer;
  const ConfigRefusal refusal = [&](const std::string& schedule, const Config& config) {
    return WhyUnusable(task.workload, model, schedule, config, context.exact_math);
  };
  answer.considered = source.Consider(task.workload, context.target, context.threads, refusal);
  for (const ConsideredRecord& considered : answer.considered) {
    const bool ranked = considered.verdict != RecordVerdict::kLeftOut;
    answer.losses.push_back(ranked ? source.LossOf(task.workload, considered.row, context) : std::nullopt);
    if (considered.verdict == RecordVerdict::kTaken) answer.taken = source.ChoiceOf(considered.row);
  }
  return answer;
}

// Why a record is not taken: "slower", "other threads", "lacks avx512f". "taken" for the one that is.
std::string VerdictText(const ConsideredRecord& considered, const BestWanted& wanted) {
  switch (considered.verdict) {
    case RecordVerdict::kTaken:
      return "taken";
    case RecordVerdict::kSameKernel:
      return "the same kernel, measured another time";
    case RecordVerdict::kBehind:
      return BehindText(considered, wanted);
    case RecordVerdict::kRefused:
      return considered.detail;
    case RecordVerdict::kOtherVersion:
      return fmt::format("of version {} of its schedule, which has changed since", considered.row.schedule_version);
    case RecordVerdict::kLeftOut:
      return LeftOutText(considered);
  }
  return "";
}

// A table of at most `limit` records (0: all) that are not taken, then a line with the one taken and its source.
std::string WhyText(const WhyAnswer& answer, const RecordLayers& layers, size_t limit) {
  const BestWanted wanted = WantedOf(answer);
  std::string text =
      fmt::format("{}\nfor {}{}\n", answer.task.workload.ToText(), MachineText(wanted.target, wanted.threads),
                  answer.task.nodes.empty() ? "" : fmt::format("; {}", fmt::join(answer.task.nodes, ", ")));
  Table table({"record", "origin", "why not", "> min", "> loss", "> threads", "device", "schedule", "config"});
  size_t shown = 0, more = 0;
  for (size_t i = 0; i < answer.considered.size(); ++i) {
    const ConsideredRecord& considered = answer.considered[i];
    const BestRow& row = considered.row;
    if (considered.verdict == RecordVerdict::kTaken) continue;
    if (limit > 0 && shown == limit) {
      ++more;
      continue;
    }
    ++shown;
    table.Add({row.id.text(), layers.OriginOf(row), VerdictText(considered, wanted), TimeText(row.min_ns),
               LossText(answer.losses[i]), fmt::format("{}", row.setup->threads), DeviceOf(row, layers), row.schedule(),
               row.config()});
  }
  if (!table.empty()) text += table.ToText();
  if (more > 0) text += fmt::format("and {} more; --limit 0 shows them\n", more);
  return text + TakenText(answer, layers);
}

Json WhyJson(const WhyAnswer& answer, const RecordLayers& layers) {
  const BestWanted wanted = WantedOf(answer);
  Json considered = Json::array();
  for (size_t i = 0; i < answer.considered.size(); ++i) {
    const ConsideredRecord& c = answer.considered[i];
    considered.push_back({{"record", c.row.id.text()},
                          {"origin", layers.OriginOf(c.row)},
                          {"taken", c.verdict == RecordVerdict::kTaken},
                          {"why", VerdictText(c, wanted)},
                          {"min_ns", c.row.min_ns},
                          {"expected_loss", LossJson(answer.losses[i])},
                          {"threads", c.row.setup->threads},
                          {"device", DeviceOf(c.row, layers)},
                          {"schedule", c.row.schedule()},
                          {"config", c.row.config()}});
  }
  Json json = {{"workload", answer.task.workload.ToText()}, {"nodes", answer.task.nodes}, {"considered", considered}};
  if (answer.taken) {
    json["source"] = answer.taken->source;
    json["schedule"] = answer.taken->schedule;
    json["config"] = answer.taken->config.ToText();
    json["expected_ns"] = answer.taken->expected_ns;
  } else {
    json["source"] = "default";
    json["schedule"] = answer.otherwise.schedule->name();
    json["config"] = answer.otherwise.config.ToText();
    json["expected_ns"] = static_cast<int64_t>(answer.otherwise.estimate_ns);
  }
  return json;
}

struct WhyOptions {
  std::string what;
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
  int64_t limit = 20;
};

void AddWhyOptions(CommandLine& line, WhyOptions& options) {
  line.Add("WORKLOAD|MODEL[:LAYER]", options.what, "a workload's text in quotes, or a model and a layer").Required();
  AddZooOptions(line, options.model);
  AddShapeOptions(line, options.model);
  AddContextOptions(line, options.machine);
  AddRecordOptions(line, options.records);
  line.Add("--limit", options.limit, "most records to print of each workload; 0 prints all")
      .In(OptionGroup::kRecords)
      .Between(0, int64_t{1} << 40)
      .ShowDefault();
}

bool IsWorkload(const std::string& text) { return text.starts_with("nn.") && text.find(' ') != std::string::npos; }

// Splits MODEL[:LAYER]. A zoo network's name contains a colon, and a file's may.
std::pair<std::string, std::string> SplitLayer(const std::string& what) {
  const size_t colon = what.rfind(':');
  if (colon == std::string::npos || what.substr(0, colon) == "zoo" || IsThere(what)) return {what, ""};
  return {what.substr(0, colon), what.substr(colon + 1)};
}

bool IsOf(const Task& task, const std::string& layer) {
  if (task.workload.ToText().find(layer) != std::string::npos) return true;
  return std::any_of(task.nodes.begin(), task.nodes.end(),
                     [&](const std::string& node) { return node.find(layer) != std::string::npos; });
}

// The tasks asked about: a single workload, or a model's tasks as a build with this context looks them up.
std::vector<Task> TasksOf(WhyOptions& options, const BuildContext& context) {
  if (IsWorkload(options.what)) return {{Workload::Parse(options.what), 0, {}}};
  const auto [model, layer] = SplitLayer(options.what);
  options.model.model = model;
  std::vector<Task> tasks = ExtractTasks(LoadModel(options.model).typed, context);
  std::erase_if(tasks, [&layer = layer](const Task& task) { return !IsOf(task, layer); });
  if (tasks.empty()) {
    throw Error(ExitCode::kNoInput, fmt::format("no layer of {} has '{}' in its name or workload; "
                                                "`hone inspect {} --tasks` lists them",
                                                model, layer, model));
  }
  return tasks;
}

}  // namespace

int LogWhyCommand(const Arguments& arguments) {
  CommandLine line("hone log why",
                   "Every record that a build considers for a workload, in order, why each is not taken, and last what "
                   "is.",
                   "hone log why zoo:resnet-18:7x7");
  line.First({"--limit", "--target", "--threads", "--db", "--hub"});
  WhyOptions options;
  AddWhyOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const Machine machine = ResolveMachine(options.machine);
  const std::vector<Task> tasks = TasksOf(options, machine.context);
  const RecordLayers layers = OpenRecords(options.records, options.model.model);
  const RecordConfigSource source(layers, machine.fingerprint);
  Json list = Json::array();
  for (const Task& task : tasks) {
    const WhyAnswer answer = AskWhy(task, machine, layers, source);
    if (line.json()) {
      list.push_back(WhyJson(answer, layers));
    } else {
      if (&task != &tasks.front()) Print("\n");
      Print("{}", WhyText(answer, layers, static_cast<size_t>(options.limit)));
    }
  }
  if (line.json()) PrintJson({{"workloads", list}});
  line.Next("hone explain RECORD" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
