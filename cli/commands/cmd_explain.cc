#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/machine/device_name.h"
#include "lab/machine/machine.h"
#include "lab/records/best_records.h"
#include "lab/records/explain_layer.h"
#include "lab/records/explain_record.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

constexpr size_t kMostIdsShown = 10;  // most records listed for an ambiguous prefix

bool IsIdPrefix(const std::string& text) {
  return !text.empty() && text.size() <= 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Record ByIdPrefix(const RecordStore& store, const std::string& prefix) {
  RecordQuery query;
  query.id = prefix;
  query.limit = kMostIdsShown + 1;
  std::vector<Record> records = store.Find(query);
  if (records.empty()) {
    throw Error(ExitCode::kNoInput,
                fmt::format("no record's id begins with '{}'; `hone log list` and `hone log best` show ids", prefix));
  }
  if (records.size() == 1) return std::move(records.front());
  std::string ids;
  for (size_t i = 0; i < std::min(kMostIdsShown, records.size()); ++i)
    ids += fmt::format("{}{}", i > 0 ? ", " : "", records[i].id);
  throw Error(ExitCode::kUsage, fmt::format("'{}' begins the ids of several records: {}{}; more digits would be right",
                                            prefix, ids, records.size() > kMostIdsShown ? ", ..." : ""));
}

Record BestOfWorkload(const RecordStore& store, const std::string& text) {
  RecordQuery query;
  query.workload = Workload::Parse(text).ToText();
  const std::vector<Record> best = BestOf(store.Find(query));
  if (best.empty()) {
    throw Error(ExitCode::kNoInput,
                fmt::format("the store has no time of '{}' that counts; `hone log best` lists those it has", text));
  }
  // Another machine's kernel may be faster and still not be the best on this machine. So own records come first, in
  // the order of this machine's builds.
  const Machine here = ResolveMachine({});
  const auto rank = [&here](const Record& record) {
    const bool own = SameExactly(FingerprintOf(record.measurement.environment), here.fingerprint);
    return std::tuple(!own, record.timing.cache != CacheMode::kColdWeights, record.threads != here.context.threads,
                      record.measurement.MinNs());
  };
  return *std::min_element(best.begin(), best.end(),
                           [&rank](const Record& a, const Record& b) { return rank(a) < rank(b); });
}

Record FindRecord(const RecordStore& store, const std::string& text) {
  if (IsIdPrefix(text)) return ByIdPrefix(store, text);
  if (text.find(' ') != std::string::npos) return BestOfWorkload(store, text);
  throw Error(ExitCode::kUsage,
              fmt::format("'{}' is neither the beginning of a record's id nor a workload's text (`hone log list` shows "
                          "both), and no model MODEL:LAYER",
                          text));
}

void PrintKnobs(const std::vector<KnobValue>& knobs, int64_t least_ns) {
  Table table({"knob", "> value", "> records", "> least", "> off the least", ""});
  std::string last;
  for (const KnobValue& k : knobs) {
    const double off = 100 * (static_cast<double>(k.least_ns) / static_cast<double>(least_ns) - 1);
    table.Add({k.knob == last ? "" : k.knob, fmt::format("{}", k.value), fmt::format("{}", k.records),
               TimeText(k.least_ns), fmt::format("{:.1f} %", off), k.own ? "<- this record" : ""});
    last = k.knob;
  }
  Print("\nknobs of its schedule, by influence (least sample with each value against the least of all)\n{}",
        table.empty() ? "every record has the same values\n" : table.ToText());
}

void PrintLoops(const Explanation& e) {
  Table table({"hot loop", "> instructions", "> multiply-adds", "> loads", "> stores", "> prefetches", "> spilled"});
  for (const ExplainedKernel& k : e.kernels) {
    const HotLoop& l = k.loop;
    table.Add({k.what, fmt::format("{}", l.instructions), fmt::format("{}", l.multiply_adds),
               fmt::format("{}", l.loads), fmt::format("{}", l.stores), fmt::format("{}", l.prefetches),
               fmt::format("{}", l.stack)});
  }
  Print("\n{}", table.ToText());
  for (const ExplainedKernel& k : e.kernels) {
    Print("\n{}: {} {} ({})\n{}\n", k.what, k.candidate.schedule, k.candidate.config.ToText(), TimeText(k.ns),
          fmt::join(k.loop.lines, "\n"));
  }
}

void PrintExplanation(const Explanation& e) {
  const Record& r = e.record;
  Print("record {}: {}\n{} {}\n", r.id, r.candidate.workload.ToText(), r.candidate.schedule,
        r.candidate.config.ToText());
  Print("{} on {}, {}, {} cache, hone {}, run {}{}\n", TimeText(r.measurement.MinNs()), DeviceName(r),
        Counted(r.threads, "thread"), CacheModeName(r.timing.cache), r.hone_version,
        r.session.empty() ? "-" : r.session,
        r.finals.held > 0 ? fmt::format(", finals: place {}", r.finals.place) : "");
  Print("{} of {} measured alike are faster by their least sample\n", e.faster, Counted(e.configs, "config"));
  if (e.best_id == r.id) {
    Print("a build for this setup takes it\n");
  } else if (!e.best_id.empty()) {
    Print("a build for this setup takes record {}, {}\n", e.best_id, TimeText(e.best_ns));
  }
  Print("\n{}", BoundsText(e.bounds));
  if (!e.knobs.empty() || e.least_ns > 0) PrintKnobs(e.knobs, e.least_ns);
  PrintLoops(e);
}

struct ExplainOptions {
  std::string what;
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
};

void AddExplainOptions(CommandLine& line, ExplainOptions& options) {
  line.Add("RECORD|MODEL[:LAYER]", options.what, "first digits of a record, a workload's text, or a model's layer")
      .Required();
  AddModelDetails(line, options.model);
  AddContextOptions(line, options.machine);
  AddLengthsOption(line, options.machine);
  AddPassOptions(line, options.machine);
  AddRecordOptions(line, options.records);
}

// Whether the text names a model rather than a record or a workload.
bool NamesAModel(const std::string& what) {
  if (IsThere(what)) return true;
  const bool workload = what.starts_with("nn.") && what.find(' ') != std::string::npos;
  const std::string model = SplitLayer(what).first;
  return !workload && (model != what || what.starts_with("zoo:") || model.ends_with(".onnx") || IsRelayFile(model));
}

MachineRoofs RoofsOf(const Machine& machine) {
  ComparedDevice device;
  if (machine.is_host) device.machine = machine.fingerprint.ToText();
  device.target = machine.context.target;
  device.threads = machine.context.threads;
  return RoofsKnownHere()(device);
}

void ExplainOneLayer(CommandLine& line, const ChosenLayers& choices, size_t layer, const Machine& machine,
                     const RecordLayers& layers, const RecordConfigSource& source) {
  const LayerExplanation e = ExplainLayer(choices, layer, machine, layers, source, RoofsOf(machine));
  if (line.json()) {
    PrintJson(LayerJson(e, layers));
  } else {
    Print("{}", LayerText(e, machine));
  }
  if (!e.choice.ways.empty()) {
    line.Next("hone log why " + ShellWord(e.choice.layer.name) +
              line.Given({Topic::kTarget, Topic::kThreads, Topic::kMath, Topic::kStore}));
  }
  if (e.record && e.origin == kStoreOrigin) {
    line.Next("hone explain " + e.record->id + line.Given({Topic::kStore}));
  }
}

void ExplainModel(CommandLine& line, ExplainOptions& options) {
  const auto [model, layer] = SplitLayer(options.what);
  options.model.model = model;
  const Machine machine = ResolveMachine(options.machine);
  const RecordLayers layers = OpenRecords(options.records, model);
  RecordConfigSource source(layers, machine.fingerprint);
  const ChosenLayers choices(LoadModel(options.model).typed, machine.context, layers.empty() ? nullptr : &source);
  if (!layer.empty()) {
    const size_t index = FindLayer(choices.layers(), layer, model);
    return ExplainOneLayer(line, choices, index, machine, layers, source);
  }
  if (line.json()) {
    PrintJson(LayerListJson(choices));
  } else {
    Print("{}", LayerListText(choices));
  }
  line.Next("hone explain " + ShellWord(model + ":LAYER") + line.Given(kKernelTopics));
}

void ExplainRecordOf(CommandLine& line, const ExplainOptions& options) {
  const auto store = OpenExistingStore(options.records.db);
  const Explanation explanation = ExplainRecord(FindRecord(*store, options.what), *store);
  if (line.json()) {
    PrintJson(ExplanationJson(explanation));
  } else {
    PrintExplanation(explanation);
  }
  line.Next("hone log list --workload " + ShellWord(explanation.record.candidate.workload.ToText()) +
            line.Given({Topic::kStore}));
}

}  // namespace

int ExplainCommand(const Arguments& arguments) {
  CommandLine line("hone explain",
                   "Why a build takes a record and a layout for a layer, and why a record is as fast as it is.",
                   "hone explain zoo:resnet-18:conv1");
  line.First({"--target", "--threads", "--no-records", "--db", "--hub"});
  ExplainOptions options;
  AddExplainOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (NamesAModel(options.what)) {
    ExplainModel(line, options);
  } else {
    ExplainRecordOf(line, options);
  }
  return 0;
}

}  // namespace hone
