#include "lab/records/why_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/schedules/layout_defaults.h"
#include "core/text/printable.h"
#include "lab/machine/device_name.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {

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

namespace {

using RecordVerdict = ConsideredRecord::Verdict;

// The default among the schedules that the math mode allows.
DefaultConfig DefaultOf(const Workload& workload, const BuildContext& context) {
  const auto allowed = [&](const Schedule& schedule, const Config&) { return !context.exact_math || schedule.exact(); };
  const std::vector<PairDefault> all = LayoutDefaults(workload, context.machine(), allowed);
  return std::min_element(
             all.begin(), all.end(),
             [](const PairDefault& a, const PairDefault& b) { return a.best.estimate_ns < b.best.estimate_ns; })
      ->best;
}

std::string BehindText(const ConsideredRecord& considered, const Target& target) {
  const BestRow& row = considered.row;
  switch (considered.decided) {
    case Criterion::kRank:
      return "measured on " + RankText(row.rank);
    case Criterion::kEmulated:
      return "measured under an emulator";
    case Criterion::kLoss:
      return "its kind of machine loses more here, or that is unknown";
    case Criterion::kCode:
      return fmt::format("code for {}, not {}", row.setup->target.cpu, target.cpu);
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

std::string MachineText(const BuildContext& context) {
  return fmt::format("{}, {}", context.target.cpu, Counted(context.threads, "thread"));
}

std::string DeviceOfRow(const BestRow& row, const RecordLayers& layers) {
  const auto record = layers.Get(row.id.text());
  return record ? DeviceName(*record) : row.llvm_cpu;
}

std::string TakenText(const WhyAnswer& answer, const RecordLayers& layers) {
  const auto taken = std::find_if(answer.considered.begin(), answer.considered.end(), [](const ConsideredRecord& c) {
    return c.verdict == ConsideredRecord::Verdict::kTaken;
  });
  if (taken == answer.considered.end()) {
    return fmt::format("taken: the analytic default, {} {}, estimated {}; no record may be used\n",
                       answer.otherwise.schedule->name(), answer.otherwise.config.ToText(),
                       TimeText(static_cast<int64_t>(answer.otherwise.estimate_ns)));
  }
  const BestRow& row = taken->row;
  const std::string loss = LossText(answer.losses[static_cast<size_t>(taken - answer.considered.begin())]);
  return fmt::format("taken: {} of {}, {} {}, {}, measured on {}: {} ({}){}\n", row.id.view(), layers.OriginOf(row),
                     row.schedule(), row.config(), TimeText(row.min_ns), RankText(row.rank), DeviceOfRow(row, layers),
                     answer.taken->source, loss.empty() ? "" : "; expected loss " + loss);
}

}  // namespace

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
    const bool ranked = considered.verdict != ConsideredRecord::Verdict::kLeftOut;
    answer.losses.push_back(ranked ? source.LossOf(task.workload, considered.row, context) : std::nullopt);
    if (considered.verdict == ConsideredRecord::Verdict::kTaken) answer.taken = source.ChoiceOf(considered.row);
  }
  return answer;
}

std::string ReasonText(const ConsideredRecord& considered, const WhyAnswer& answer) {
  switch (considered.verdict) {
    case ConsideredRecord::Verdict::kTaken:
      return "taken";
    case ConsideredRecord::Verdict::kSameKernel:
      return "the same kernel, measured another time";
    case ConsideredRecord::Verdict::kBehind:
      return BehindText(considered, answer.machine.context.target);
    case ConsideredRecord::Verdict::kRefused:
      return considered.detail;
    case ConsideredRecord::Verdict::kOtherVersion:
      return fmt::format("of version {} of its schedule, which has changed since", considered.row.schedule_version);
    case ConsideredRecord::Verdict::kLeftOut:
      return LeftOutText(considered);
  }
  return "";
}

std::string WhyText(const WhyAnswer& answer, const RecordLayers& layers, size_t limit) {
  std::string text =
      fmt::format("{}\nfor {}{}\n", answer.task.workload.ToText(), MachineText(answer.machine.context),
                  answer.task.nodes.empty() ? "" : fmt::format("; {}", fmt::join(answer.task.nodes, ", ")));
  Table table({"record", "origin", "why not", "> min", "> loss", "> threads", "device", "schedule", "config"});
  size_t shown = 0, more = 0;
  for (size_t i = 0; i < answer.considered.size(); ++i) {
    const ConsideredRecord& considered = answer.considered[i];
    const BestRow& row = considered.row;
    if (considered.verdict == ConsideredRecord::Verdict::kTaken) continue;
    if (limit > 0 && shown == limit) {
      ++more;
      continue;
    }
    ++shown;
    table.Add({row.id.text(), layers.OriginOf(row), ReasonText(considered, answer), TimeText(row.min_ns),
               LossText(answer.losses[i]), fmt::format("{}", row.setup->threads), DeviceOfRow(row, layers),
               row.schedule(), row.config()});
  }
  if (!table.empty()) text += table.ToText();
  if (more > 0) text += fmt::format("and {} more; --limit 0 shows them\n", more);
  return text + TakenText(answer, layers);
}

Json WhyJson(const WhyAnswer& answer, const RecordLayers& layers) {
  Json considered = Json::array();
  for (size_t i = 0; i < answer.considered.size(); ++i) {
    const ConsideredRecord& c = answer.considered[i];
    considered.push_back({{"record", c.row.id.text()},
                          {"origin", layers.OriginOf(c.row)},
                          {"taken", c.verdict == ConsideredRecord::Verdict::kTaken},
                          {"why", ReasonText(c, answer)},
                          {"min_ns", c.row.min_ns},
                          {"expected_loss", LossJson(answer.losses[i])},
                          {"threads", c.row.setup->threads},
                          {"device", DeviceOfRow(c.row, layers)},
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

}  // namespace hone
