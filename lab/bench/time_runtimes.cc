#include "lab/bench/time_runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/stats/statistics.h"
#include "lab/adapter/judged_model.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "runtime/session.h"

namespace hone {

// A runtime's turns, and its row.
class TimedRuntimes::Turn final : public OtherRuntime {
 public:
  Turn(const AdapterCommand& command, int64_t answer_ns, int threads)
      : command_(command), answer_ns_(answer_ns), cpus_(CpusForThreads(threads)) {
    Start();
    row_.name = command.name;
    row_.is_hone = command.is_hone;
    row_.timed.path = adapter_->title();
    row_.timed.threads = threads;
  }

  // Whether it can be timed; else the row says why not.
  bool Prepare(JudgedModel& model, const std::string& package) {
    file_ = row_.is_hone ? package : model.path();
    inputs_ = model.AdapterInputs();
    return Try([&] {
      Load();
      adapter_->Run(1);
      row_.precision = adapter_->precision();
      const JudgedOutputs judged = model.Judge(*adapter_);
      row_.error = judged.error;
      row_.allowed = judged.allowed;
      (judged.finding == JudgedOutputs::Finding::kDiffer ? row_.why_not : row_.doubt) = judged.why;
      if (!row_.why_not.empty()) return;
      adapter_->RequireFilledTimes();
      adapter_->RequireFilledTurns();
    });
  }

  void Leave() override {
    Try([&] {
      if (timed_) adapter_->RequireFilledTurns();
    });
    adapter_.reset();
  }

  // In a process of its own: where a process has its memory makes it slower or faster for as long as it lives.
  bool LoadAnew() override {
    return Try([&] {
      Start();
      Load();
      timed_ = true;
    });
  }

  int64_t RunNs(int64_t runs) override {
    int64_t sum_ns = 0;
    const bool ran = Try([&] {
      for (int64_t left = runs; left > 0; left -= std::min(left, kMostRunsOfRequest)) {
        for (const int64_t ns : adapter_->Run(std::min(left, kMostRunsOfRequest))) sum_ns += ns;
      }
    });
    return ran ? std::max<int64_t>(1, sum_ns) : 0;
  }

  void Keep(TimedPackage timed) {
    Try([&] {
      adapter_->RequireFilledTurns();
      row_.memory_bytes = adapter_->MemoryBytes();
      timed.path = row_.timed.path;
      row_.timed = std::move(timed);
    });
  }

  RuntimeTimes& row() { return row_; }

 private:
  void Start() {
    adapter_.reset();
    adapter_ = std::make_unique<Adapter>(command_, answer_ns_, cpus_);
  }

  void Load() {
    adapter_->Use(file_, row_.timed.threads, inputs_);
    adapter_->LoadAnew();
  }

  // A fault is the row's: the others go on. Returns whether there is none yet.
  template <typename Step>
  bool Try(const Step& step) {
    if (!row_.why_not.empty()) return false;
    try {
      step();
    } catch (const Error& e) {
      row_.why_not = e.what();
    }
    return row_.why_not.empty();
  }

  const AdapterCommand command_;
  const int64_t answer_ns_;
  const std::vector<int> cpus_;
  std::unique_ptr<Adapter> adapter_;
  std::string file_;
  Json inputs_;
  bool timed_ = false;  // whether the adapter has taken turns
  RuntimeTimes row_;
};

namespace {

int64_t MedianRoundNs(const RuntimeTimes& runtime) { return StatisticsOf(RoundTimes(runtime.timed, false)).median_ns; }

bool WasTimed(const RuntimeTimes& runtime) { return !runtime.timed.rounds.empty(); }

Verdict JudgeRuntime(const RuntimeTimes& runtime, const RuntimeTimes& against, double smallest_effect) {
  Verdict verdict = JudgePairs(RoundTimes(runtime.timed, false), RoundTimes(against.timed, false), smallest_effect);
  verdict.package = runtime.timed.path;
  verdict.against = against.timed.path;
  return verdict;
}

RuntimeTimes* LeastAmong(const std::vector<RuntimeTimes*>& group) {
  RuntimeTimes* least = nullptr;
  for (RuntimeTimes* each : group) {
    if (least == nullptr || MedianRoundNs(*each) < MedianRoundNs(*least)) least = each;
  }
  return least;
}

// Whether there are others in the group, and each is slower than this one.
bool IsFastestOf(const std::vector<RuntimeTimes*>& group, const RuntimeTimes& one, double smallest_effect) {
  return group.size() > 1 && std::all_of(group.begin(), group.end(), [&](const RuntimeTimes* each) {
           return each == &one || JudgeRuntime(*each, one, smallest_effect).finding == Finding::kSlower;
         });
}

const RuntimeTimes* LeastOf(const std::vector<RuntimeTimes>& runtimes) {
  const auto found = std::find_if(runtimes.begin(), runtimes.end(),
                                  [](const RuntimeTimes& each) { return WasTimed(each) && !each.against_least; });
  return found == runtimes.end() ? nullptr : &*found;
}

}  // namespace

TimedRuntimes::TimedRuntimes(const TimedRuntimesOptions& options, int threads)
    : threads_(threads > 0 ? threads : AllowedCores()) {
  for (const AdapterCommand& command : options.commands) {
    turns_.push_back(std::make_unique<Turn>(command, options.answer_ns, threads_));
  }
}

TimedRuntimes::~TimedRuntimes() = default;

std::vector<RuntimeTimes> TimedRuntimes::Time(const ModelOptions& model, const std::string& package,
                                              const TimePackagesOptions& timing, double smallest_effect) {
  const auto inspected = Package::Inspect(package, nullptr, ShapesAsked(timing.inputs, package));
  JudgedModel judged(model, *inspected, timing.inputs);
  TimePackagesOptions of_turns = timing;
  of_turns.threads = threads_;
  std::vector<Turn*> sound;
  for (const auto& turn : turns_) {
    if (!turn->Prepare(judged, package)) continue;
    sound.push_back(turn.get());
    of_turns.others.push_back(turn.get());
  }
  if (!sound.empty()) {
    std::vector<TimedPackage> timed = TimePackages({}, of_turns);
    for (size_t i = 0; i < sound.size(); ++i) sound[i]->Keep(std::move(timed[i]));
  }
  const Extents extents = ExtentsOf(InputSpecs(*inspected), judged.inputs());
  std::vector<RuntimeTimes> runtimes;
  for (const auto& turn : turns_) {
    turn->row().timed.extents = extents;
    turn->row().timed.package = inspected;
    runtimes.push_back(std::move(turn->row()));
  }
  MarkFastest(runtimes, smallest_effect);
  return runtimes;
}

void KeepRuntimes(std::vector<RuntimeTimes> runtimes, const std::string& argument, BenchResult& result) {
  for (const RuntimeTimes& each : runtimes) {
    if (!each.is_hone || !WasTimed(each) || !result.packages.empty()) continue;
    result.packages.push_back(each.timed);
    result.packages[0].path = argument;
  }
  result.runtimes = std::move(runtimes);
}

void MarkFastest(std::vector<RuntimeTimes>& runtimes, double smallest_effect) {
  std::vector<RuntimeTimes*> all;
  std::map<std::string, std::vector<RuntimeTimes*>> by_precision;
  for (RuntimeTimes& each : runtimes) {
    if (!WasTimed(each)) continue;
    all.push_back(&each);
    by_precision[each.precision].push_back(&each);
  }
  if (all.empty()) return;
  RuntimeTimes& least = *LeastAmong(all);
  least.fastest = IsFastestOf(all, least, smallest_effect);
  for (RuntimeTimes* each : all) {
    if (each != &least) each->against_least = JudgeRuntime(*each, least, smallest_effect);
  }
  for (const auto& [precision, group] : by_precision) {
    RuntimeTimes& of_precision = *LeastAmong(group);
    of_precision.fastest_of_precision = IsFastestOf(group, of_precision, smallest_effect);
  }
}

std::vector<Verdict> JudgeFirstRuntime(const std::vector<RuntimeTimes>& runtimes, double smallest_effect) {
  std::vector<Verdict> verdicts;
  for (size_t i = 1; i < runtimes.size(); ++i) {
    if (!WasTimed(runtimes[0]) || !WasTimed(runtimes[i])) continue;
    verdicts.push_back(JudgeRuntime(runtimes[0], runtimes[i], smallest_effect));
  }
  return verdicts;
}

namespace {

std::string TextAgainstLeast(const RuntimeTimes& least, const RuntimeTimes& other) {
  const Verdict& v = *other.against_least;
  const std::string both = fmt::format("{} or {}", least.timed.path, other.timed.path);
  if (!v.enough) {
    return fmt::format("cannot tell whether {} is faster from {}; at least {} are needed", both,
                       Counted(v.rounds, "round"), kLeastPairs);
  }
  const std::string times =
      fmt::format("({} against {}, p {:.2g})", TimeText(MedianRoundNs(least)), TimeText(MedianRoundNs(other)), v.p);
  if (v.finding == Finding::kSlower) {
    return fmt::format("{} is {:.2f} times as fast as {} {}", least.timed.path, v.ratio, other.timed.path, times);
  }
  if (v.finding == Finding::kEquivalent) {
    return fmt::format("{} and {} are equivalent within {:.3g} % {}", least.timed.path, other.timed.path,
                       100 * v.smallest_effect, times);
  }
  return fmt::format("cannot tell whether {} is faster {}", both, times);
}

}  // namespace

std::string RuntimeVerdict(const RuntimeTimes& runtime) {
  if (!runtime.why_not.empty()) return "not timed";
  if (runtime.fastest) return "fastest";
  if (!runtime.against_least) return "";
  const Verdict& v = *runtime.against_least;
  const std::string first = runtime.fastest_of_precision ? ", fastest in " + runtime.precision : "";
  if (v.finding == Finding::kSlower) return fmt::format("{:.2f}x the time{}", v.ratio, first);
  return v.finding == Finding::kEquivalent ? "equivalent" : "cannot tell";
}

std::string RuntimesText(const std::vector<RuntimeTimes>& runtimes, size_t columns) {
  Table table({"runtime", "precision", "> threads", "> runs", "> min", "> p10", "> median", "> p90", "> error",
               "> memory", "verdict"});
  for (const RuntimeTimes& each : runtimes) {
    const Statistics s = StatisticsOf(each.timed.samples_ns);
    const bool judged = each.error > 0 || WasTimed(each);
    table.Add({each.timed.path, each.precision, fmt::format("{}", each.timed.threads),
               fmt::format("{}", each.timed.runs), TimeText(s.min_ns), TimeText(s.p10_ns), TimeText(s.median_ns),
               TimeText(s.p90_ns), judged ? fmt::format("{:.1e}", each.error) : "-",
               each.memory_bytes > 0 ? BytesText(each.memory_bytes) : "-", RuntimeVerdict(each)});
  }
  return table.ToText(columns) + RuntimesNotes(runtimes);
}

std::string RuntimesNotes(const std::vector<RuntimeTimes>& runtimes) {
  std::string text;
  const RuntimeTimes* least = LeastOf(runtimes);
  for (const RuntimeTimes& each : runtimes) {
    if (!each.why_not.empty()) {
      text += each.why_not.starts_with(each.timed.path) ? each.why_not : each.timed.path + ": " + each.why_not;
      text += "\n";
    }
    if (!each.doubt.empty()) {
      text += fmt::format("cannot tell whether the outputs of {} are right: {}\n", each.timed.path, each.doubt);
    }
    if (each.against_least) text += TextAgainstLeast(*least, each) + "\n";
  }
  return text;
}

Json ToJson(const RuntimeTimes& runtime) {
  Json json = {{"runtime", runtime.name},
               {"name", runtime.timed.path},
               {"precision", runtime.precision},
               {"threads", runtime.timed.threads},
               {"error", FiniteOrInf(runtime.error)},
               {"allowed", FiniteOrInf(runtime.allowed)},
               {"why_not", runtime.why_not},
               {"doubt", runtime.doubt},
               {"fastest", runtime.fastest},
               {"fastest_of_precision", runtime.fastest_of_precision}};
  if (!WasTimed(runtime)) return json;
  Json rounds = Json::array();
  for (const Round& round : runtime.timed.rounds) {
    rounds.push_back({{"p10_ns", round.p10_ns}, {"median_ns", round.median_ns}, {"runs", round.runs}});
  }
  json.update(TimesJson(runtime.timed));
  json.update(Json{{"memory_bytes", runtime.memory_bytes}, {"rounds", rounds}});
  if (runtime.against_least) json["against_least"] = ToJson(*runtime.against_least);
  return json;
}

}  // namespace hone
